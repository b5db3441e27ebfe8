"""Small closed word lists of the visual domain that steer the extraction. Lower-case lemmas."""

from __future__ import annotations

#: Multiword prepositions, and the plain one that the parser is shown in their place.
MULTIWORD_PREPOSITIONS: dict[tuple[str, ...], str] = {
    tuple(key.split()): value
    for value, keys in {
        "behind": "in front of|in back of|at the rear of|just behind|directly behind|directly in front of"
        "|just in front of|right in front of",
        "beside": "next to|close to|adjacent to|alongside of|to the left of|to the right of|on the left of"
        "|on the right of|just to the left of|just to the right of|to the side of|to the left and right of|near to"
        "|right next to|just next to|directly next to|left of|right of|off to the side of|to the left side of"
        "|to the right side of|to either side of|to each side of|to both sides of|to the immediate left of"
        "|to the immediate right of|just left of|just right of",
        "above": "on top of|high above|just above|directly above|on the top of",
        "below": "just below|directly below|just beneath|directly beneath",
        "under": "just under|directly under|underneath of",
        "beyond": "just beyond|far beyond",
        "inside": "inside of|in the middle of|in the midst of|in the center of|in the centre of",
        "outside": "outside of",
        "from": "out of|off of|away from|as of",
        "among": "in between",
        "against": "up against|set against",
        "because": "due to|because of",
        "with": "along with|together with|as well as with|in addition to",
        "without": "instead of|rather than|devoid of|free of|free from|lacking in|other than|except for",
        "toward": "in the direction of",
        "by": "by means of",
        "across": "across from|opposite to",
        "near": "just outside of|just off of|in proximity to|in close proximity to",
    }.items()
    for key in keys.split("|")
}

#: Multiword adverbs, likewise; the noun in them names nothing.
MULTIWORD_ADVERBS: dict[tuple[str, ...], str] = {
    tuple(key.split()): value
    for value, keys in {
        "together": "side by side|back to back|face to face|hand in hand|arm in arm|shoulder to shoulder|cheek to cheek"
        "|in a row|in unison|in tandem|one by one",
        "upward": "upside down",
        "there": "in profile|in mid air|in midair",
        "also": "in addition|as well|at least|at most|for example|for instance|in fact|in general|in particular|of course"
        "|at all|in turn|in total",
    }.items()
    for key in keys.split("|")
}

#: Last parts of hyphenated words that would mislead the parser alone, and what it is shown instead.
_HYPHEN_LAST = {
    "like": "similar", "up": "upper", "down": "lower", "off": "broken", "on": "fixed", "out": "broken", "in": "fixed",
    "over": "fixed", "to": "near", "through": "clear", "old": "old", "of": "near", "the": "near", "by": "near",
    "around": "round", "away": "distant", "and": "mixed", "side": "side", "left": "left", "right": "right",
    "back": "back", "front": "front", "view": "view", "less": "bare", "free": "free", "wide": "wide", "s": "old",
    "style": "stylish", "ups": "shots", "downs": "shots", "offs": "shots", "outs": "shots", "overs": "shots",
}  # fmt: skip
_HYPHEN_WHOLE = {"close-up": "view", "close-ups": "views", "black-and-white": "white", "make-up": "paint"}


def hyphen_proxy(parts: list[str]) -> str:
    """The plain word that stands for a hyphenated one in the parse: usually its last part."""
    low = [p.lower() for p in parts]
    whole = "-".join(low)
    if any(p in ("of", "to", "the", "and", "in") for p in low[1:-1]) and whole not in _HYPHEN_WHOLE:
        return "Blurry" if parts[0][:1].isupper() else "blurry"
    last = _HYPHEN_WHOLE.get(whole) or _HYPHEN_LAST.get(low[-1], low[-1])
    return last.capitalize() if parts[0][:1].isupper() else last


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COLOURS = _words(
    "red orange yellow green blue purple violet pink brown black white gray grey beige tan cream ivory gold golden silver"
    " bronze copper maroon crimson scarlet burgundy magenta fuchsia lavender lilac mauve indigo navy azure cyan teal"
    " turquoise aqua olive lime emerald jade mint khaki mustard ochre amber peach coral salmon rose ruby blond blonde"
    " brunette auburn chestnut hazel charcoal slate taupe sepia rust terracotta russet tawny sand sandy plum eggplant"
    " buff umber sienna cobalt cerulean ultramarine sapphire chartreuse garnet vermilion off-white multicolored"
    " multicoloured colorful colourful monochrome reddish bluish greenish yellowish brownish grayish greyish pinkish"
    " purplish orangish whitish blackish"
)
SHADES = _words(
    "dark light pale bright deep soft vivid dull muted rich dusty warm cool faint hot royal sky baby navy forest olive"
    " lemon brick blood jet snow pure solid medium neon pastel mid lighter darker brighter paler deeper garnet ash steel"
    " slate burnt dirty greenish reddish bluish yellowish brownish grayish pinkish purplish off honey celestial moss sea"
    " powder ice cherry wine army kelly hunter rusty sandy metallic shiny sage charcoal golden"
)
PATTERNS = _words(
    "striped checkered chequered plaid polka-dot polka-dotted dotted floral spotted patterned gingham tartan paisley"
    " camouflage houndstooth pinstriped checked speckled mottled marbled ribbed quilted tiled tabby calico brindle"
)
MATERIALS = _words(
    "wood wooden metal metallic glass plastic stone brick concrete marble leather cotton silk wool woolen velvet lace"
    " denim fur steel iron aluminum brass tin ceramic porcelain clay paper cardboard rubber straw wicker bamboo granite"
    " linen satin tile terracotta chrome stucco cement asphalt gravel dirt vinyl canvas felt fleece nylon mesh foam"
    " acrylic oak pine mahogany cedar plywood wire rope crystal pearl diamond bone ivory"
)
#: Nouns that describe more than they name when they stand in front of another noun.
DESCRIPTIVE_NOUNS = COLOURS | PATTERNS | MATERIALS | _words(
    "oval square round rectangle circle triangle diamond portrait landscape vintage indoor outdoor overhead aerial left"
    " right center centre middle front back side rear top bottom upper lower corner background foreground midday daytime"
    " nighttime winter summer spring autumn fall evening morning afternoon night day matte gloss baby adult male female"
    " toy miniature giant lone mid antique designer chain high low young"
)  # fmt: skip

VIEWER_PRONOUNS = _words("we us our ours ourselves you your yours i me my mine")
VIEWER_NOUNS = _words("viewer viewers observer onlooker spectator")
PICTURE_NOUNS = _words(
    "eye-level high-angle low-angle image photo photograph shot view composition close-up closeup scene frame artwork caption description snapshot"
    " depiction perspective viewpoint angle picture foto panorama rendering"
)
#: Works that may also hang inside the picture.
WORK_NOUNS = _words("painting portrait drawing illustration print engraving etching canvas sketch watercolor mural"
                    " fresco collage poster tapestry woodcut lithograph work")  # fmt: skip
REGIONS = _words(
    "left right foreground background midground middleground distance center centre middle side top bottom corner edge"
    " half third quarter quadrant portion area part section end upper-left upper-right lower-left lower-right bottom-left"
    " bottom-right top-left top-right left-hand right-hand horizon"
)
#: Region words whatever stands around them; the others need the frame or a viewer's article.
SURE_REGIONS = _words(
    "left right foreground background midground middleground distance upper-left upper-right lower-left lower-right"
    " bottom-left bottom-right top-left top-right"
)
PART_NOUNS = _words(
    "top bottom side back front edge end corner base center centre middle rim handle tip surface interior inside outside"
    " exterior half part portion section face head neck hair arm leg hand foot body lap shoulder elbow waist chest hip"
    " knee finger thumb toe ear eye eyebrow nose mouth lip cheek chin forehead skin beard mustache moustache tail paw wing"
    " fur mane snout beak horn antler claw hoof trunk branch leaf petal stem root bark roof wall floor ceiling door window"
    " frame leg sleeve collar cuff hem button pocket strap lace sole brim crown wheel tire hood bumper headlight windshield"
    " seat lid spout screen keyboard page cover spine label stalk peak slope foot crest bank shore wave underside tower"
    " facade column arch lens hull mast sail deck blade string"
)

#: "a pair of scissors": the head is what follows "of". Values are stated numbers, 0 where none is.
COLLECTIVES: dict[str, int] = {
    **dict.fromkeys(
        "group row set bunch series cluster variety number lot collection array assortment majority type kind sort"
        " handful plenty herd flock pile stack line crowd selection smattering multitude host swarm school pack team"
        " batch sprinkling abundance couple amount quantity handfuls dozens hundreds thousands lots scattering"
        " succession sequence litter procession gathering bevy flurry total".split(), 0),
    "pair": 2, "couple": 2, "dozen": 12, "trio": 3, "quartet": 4, "duo": 2, "pairs": 0,
}  # fmt: skip
#: Collectives that are things of their own when they carry a verb or an attribute ("a pile of books" stays a pile).
PLURAL_ONLY = _words("row line stack pile crowd cluster group set series team pack")
PAIRED = _words("scissors glasses eyeglasses sunglasses pants trousers jeans shorts binoculars headphones pliers tongs"
                " tweezers goggles leggings tights spectacles breeches")  # fmt: skip
QUANTIFIERS = _words("one two three four five six seven eight nine ten both all most some many several few each none half"
                     " any either neither another others much")  # fmt: skip
NUMBERS: dict[str, int] = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen twenty".split()
    )
} | {"single": 1, "dozen": 12, "both": 2, "pair": 2, "a": 1, "an": 1}

#: Determiners that state a quantity worth asking.
QUANTITY_DETERMINERS = _words("all both either each every several many few")

PRESENTING = _words(
    "show depict feature display present capture portray showcase reveal see picture contain include represent"
    " illustrate offer provide give render photograph view describe document focus zoom highlight look"
)
#: Predicates that only say where something is.
PLACING = _words("locate situate see find show visible picture depict feature present photograph display observe view"
                 " capture notice discern")  # fmt: skip
SEEMING = _words("appear seem look remain become stay feel be sound")
OWNING = _words("have wear hold carry bear sport boast don own possess feature contain include clutch grip grasp")
NEGATIVE_VERBS = _words("lack miss omit exclude")
NEGATIVE_PREPOSITIONS = ("without", "instead of", "rather than", "devoid of", "free of", "free from", "lacking in", "minus",
                         "sans")  # fmt: skip
NEGATIVE_DETERMINERS = _words("no neither none zero")
NEGATIVE_ADVERBS = _words("not n't never neither nor hardly barely no")
NEGATIVE_ADJECTIVES = _words("absent missing")
WRITING_NOUNS = _words("word words phrase text letter letters message slogan name title number caption inscription logo"
                       " brand label motto quote initial initials numeral lettering")  # fmt: skip
#: Nouns in fixed phrases that name nothing ("in addition", "for example", "blue in color").
IDLE_OBJECTS = _words(
    "addition example instance color colour size shape length width height fact general contrast order case sync"
    " particular turn appearance nature tone hue texture design style focus view sight motion use terms times time"
    " indoors outdoors total detail place bloom profile frame unison tandem between part reality person"
)
IDLE_NOUNS = _words("way manner fact kind sort type addition")

MALE = _words("man boy gentleman father son brother husband king prince guy male lad grandfather uncle nephew groom"
              " monk priest waiter actor knight lord sir he him his himself")  # fmt: skip
FEMALE = _words("woman girl lady mother daughter sister wife queen princess female lass grandmother aunt niece bride nun"
                " waitress actress dame maid madonna goddess she her hers herself ballerina")  # fmt: skip
ANIMATE = _words(
    "person people child baby toddler infant kid adult figure player rider worker dog cat horse cow bird sheep goat pig"
    " deer fox bear lion tiger elephant giraffe zebra monkey rabbit squirrel duck goose swan chicken pigeon puppy kitten"
    " animal artist sitter model student teacher soldier dancer musician couple family crowd trio group teenager youth"
    " tourist skateboarder skier surfer cyclist pedestrian driver officer saint angel who"
)

#: Third-person verbs that small taggers read as plural nouns ("the mantle drapes over").
NOUN_LIKE_VERBS = _words(
    "drapes loops wraps rests fans flanks crowns peaks curls arches towers stands faces frames ducks drops falls hangs"
    " leans sits lies rises climbs slopes stretches spans borders lines tops covers holds points stares gazes looks peers"
    " smiles extends stems trails cascades flows spills pools peeks pokes juts curves bends winds twists turns wears"
    " circles rings edges fills floats hovers perches rests reflects shines glows lights shadows dangles tapers tilts"
    " plunges dips runs walks steps reaches grips grasps clasps cups cradles props supports crosses folds tucks shades"
    " mirrors echoes meets joins parts splits overlaps overlooks spreads sweeps swoops swirls spirals snakes crouches"
    " kneels tips filters strikes poses plays rides pulls pushes carries bears dots punctuates blankets caps coats anchors marks forms"
)
#: Of these, the ones that are things as often as not.
OFTEN_THINGS = _words(
    "frames lines lights shadows steps curls stems trails edges rings coats caps tops forms marks crowns fans loops arches"
    " towers ducks drops bends curves swirls spirals folds tucks covers borders spans circles fills shades dots wraps"
    " plays rides faces peaks slopes joins parts splits supports props points turns rises falls runs dips walks cups"
    " cradles reflections blankets anchors snakes winds twists pools spills flows stands reaches glows work design show"
    " stand box set sign print walk run park cut top light frame line border plant display stack pile pattern piece"
)
#: The same for plural subjects ("curls frame her face", "trees line the path").
NOUN_LIKE_PLURAL_VERBS = _words(
    "line lie frame flank surround dot cover cast top border face span crown wrap drape hang lean rest stand sit stretch rise"
    " fill fan loop arch tower drop fall climb slope extend cascade flow spill float hover curve bend wind twist turn ring"
    " edge punctuate anchor cross meet stem trail peek sprout bloom"
)
#: Colours that are often things; never hidden in a list of colours.
THING_COLOURS = _words("sand slate salmon peach plum lime mint olive coral chestnut rust copper rose diamond charcoal")
#: Verb lemmas that rule-based lemmatizers get wrong.
LEMMAS = {"shin": "shine", "bath": "bathe", "outstretche": "outstretch", "frille": "frill", "cas": "cast",
          "leav": "leave", "lin": "line", "fac": "face", "garbe": "garb"}  # fmt: skip


#: Nouns that "light" names the kind of, rather than the colour or weight.
LIT_THINGS = _words("fixture bulb pole post switch source show beam string house tower stand panel")


def verb_lemma(word: str) -> str:
    """Base form of a third-person verb: "drapes" to "drape", "reaches" to "reach"."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def gerund_lemma(word: str) -> str:
    """Base form of an -ing word: "dominating" to "dominate", "sitting" to "sit"."""
    stem = word.removesuffix("ing")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if stem.endswith(("at", "v", "c", "g", "iz", "u", "os", "ir", "in")) and len(stem) > 3 else stem
