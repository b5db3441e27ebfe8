"""The noun outlines of the lexical judge: well formed, large enough, quick to load, right about known pairs."""

from __future__ import annotations

import time
import tomllib
from importlib import resources

import pytest

from posh_lite.judge.lexical import heads
from posh_lite.judge.lexical.lexicon import _NOUNS, Lexicon, Sense, lexicon
from posh_lite.judge.lexical.words import PARTIAL, SYNONYM

FOLDER = resources.files("posh_lite.judge") / "lexicon"

SYNONYMS = """
spanner=wrench; bunch of flowers=bouquet; yard=garden; dish=bowl; dish=plate; cash register=till; lorry=truck;
cargo=load; foam=suds; window ledge=windowsill; nun=religious sister; pinafore=apron; gown=robe; gown=dress;
parasol=umbrella; soldier=military man; jacket=coat; travel case=suitcase; sofa=couch; photo=picture; road=street;
kid=child; lad=boy; lass=girl; gentleman=man; lady=woman; infant=baby; taxi=cab; bicycle=bike; motorbike=motorcycle;
aeroplane=airplane; jet=plane; pavement=sidewalk; lift=elevator; tap=faucet; dustbin=trash can; fridge=refrigerator;
cooker=stove; tv=television; mobile phone=cell phone; torch=flashlight; trousers=pants; jumper=sweater;
trainer=sneaker; spectacles=glasses; necktie=tie; handbag=purse; rucksack=backpack; t-shirt=tee; puppy=pup; kitty=cat;
bunny=rabbit; seagull=gull; stone=rock; woods=forest; shore=beach; sea=ocean; creek=stream; summit=peak; fog=mist;
bloom=blossom; bush=shrub; pram=stroller; pushchair=stroller; aubergine=eggplant; courgette=zucchini; doughnut=donut;
chips=fries; soda=pop; mug=cup; goblet=chalice; jug=pitcher; pail=bucket; sack=bag; quay=wharf; railway=railroad;
lamppost=street lamp; stairs=staircase; hallway=corridor; tombstone=gravestone; skyscraper=high-rise;
cafe=coffee shop; shop=store; waistcoat=vest; moustache=mustache; halo=nimbus; cherub=putto; crown=diadem;
fiddle=violin; hatchet=axe; cloak=cape
"""

SIBLINGS = """
sofa|chair; dog|cat; boy|girl; man|woman; cup|plate; plate|fork; hat|helmet; knife|fork; fork|spoon; table|chair;
bed|sofa; pillow|blanket; vase|lamp; bottle|glass; bowl|cup; basket|bucket; door|window; roof|wall; church|castle;
bridge|tunnel; house|church; car|bus; bus|train; truck|van; bicycle|motorcycle; boat|car; airplane|helicopter;
canoe|kayak; sailboat|ferry; horse|cow; sheep|goat; lion|tiger; elephant|giraffe; eagle|owl; duck|swan; hen|rooster;
parrot|peacock; snake|lizard; bee|butterfly; rose|tulip; oak|pine; tree|flower; mountain|lake; river|road; sun|moon;
apple|banana; apple|pear; lemon|orange; carrot|potato; cake|pizza; bread|cheese; coffee|tea; beer|wine;
shirt|trousers; skirt|dress; scarf|glove; boot|sandal; necklace|ring; watch|bracelet; guitar|violin; piano|drum;
flute|trumpet; sword|shield; sword|spear; hammer|saw; rake|shovel; book|newspaper; laptop|phone; camera|television;
ball|kite; skateboard|surfboard; doctor|firefighter; painter|soldier; king|bishop; angel|demon; circle|triangle;
square|star; eye|ear; arm|leg; wing|tail; beard|mustache; day|night; summer|winter; umbrella|hat; towel|curtain;
toilet|sink; brother|sister; grandfather|grandmother; waiter|waitress; monk|nun; mermaid|centaur; teacup|teapot;
halo|crown
"""

BROADER = """
dog<animal; puppy<dog; poodle<dog; sparrow<bird; salmon<fish; bee<insect; oak<tree; rose<flower; rose<plant;
armchair<chair; armchair<furniture; desk<table; mug<container; saucepan<pot; wine glass<glass; hammer<tool;
sword<weapon; violin<musical instrument; jeans<clothing; sneaker<shoe; beanie<hat; fedora<hat; necklace<jewelry;
cottage<house; church<building; skyscraper<building; bedroom<room; highway<road; sedan<car; car<vehicle; yacht<boat;
canoe<boat; helicopter<aircraft; apple<fruit; carrot<vegetable; steak<meat; cake<food; lemonade<drink;
grandmother<woman; boy<child; nurse<person; violinist<musician; goalkeeper<athlete; watercolor<painting;
etching<print; stop sign<sign; tennis ball<ball; teddy bear<toy; laptop<computer; lake<body of water; vase<object;
lamp<object; cupcake<cake
"""


def _pairs(block: str, mark: str) -> list[tuple[str, str]]:
    return [(a.strip(), b.strip()) for a, b in (pair.split(mark) for pair in block.split(";"))]


def _senses(lex: Lexicon) -> list[Sense]:
    return sorted({s.id: s for senses in lex.nouns.senses.values() for s in senses}.values(), key=lambda s: s.id)


@pytest.mark.parametrize("name", _NOUNS)
def test_every_file_has_a_header_and_outlines(name: str) -> None:
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    blocks = tomllib.loads(text)
    assert blocks and all(isinstance(block, str) and block.strip() for block in blocks.values())


@pytest.mark.parametrize("name", _NOUNS)
def test_lines_are_indented_by_two_and_have_no_word_twice(name: str) -> None:
    for block in tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")).values():
        before = -2
        for line in block.strip("\n").splitlines():
            depth = len(line) - len(line.lstrip())
            assert depth % 2 == 0 and depth <= before + 2, line
            before = depth
            found = [w.split("[")[0].rstrip("? ").strip() for w in line.split(",")]
            assert all(found) and len(found) == len(set(found)), line


def test_no_sense_is_its_own_ancestor_and_no_line_stands_twice() -> None:
    senses = _senses(lexicon())
    for sense in senses:
        chain = [s.id for s in sense.chain()]
        assert len(chain) == len(set(chain)) < 12
    seen: set[tuple[int, str]] = set()
    for sense in senses:
        key = (sense.parent.id if sense.parent else -1, sense.words[0])
        assert key not in seen, sense.words
        seen.add(key)


def test_it_knows_many_nouns() -> None:
    assert len({word for sense in _senses(lexicon()) for word in sense.words}) >= 5000


def test_it_loads_fast() -> None:
    spent = []
    for _ in range(3):
        start = time.process_time()
        lexicon.__wrapped__()
        spent.append(time.process_time() - start)
    assert min(spent) < 0.3


def test_there_are_enough_pairs() -> None:
    assert len(_pairs(SYNONYMS, "=")) >= 60
    assert len(_pairs(SIBLINGS, "|")) >= 60
    assert len(_pairs(BROADER, "<")) >= 40


@pytest.mark.parametrize(("one", "other"), _pairs(SYNONYMS, "="))
def test_synonyms_support_each_other(one: str, other: str) -> None:
    assert heads.grade(one, other) >= SYNONYM - 0.2
    assert heads.grade(other, one) >= SYNONYM - 0.2


@pytest.mark.parametrize(("one", "other"), _pairs(SIBLINGS, "|"))
def test_siblings_do_not_match(one: str, other: str) -> None:
    assert heads.grade(one, other) < PARTIAL
    assert heads.grade(other, one) < PARTIAL


@pytest.mark.parametrize(("narrow", "broad"), _pairs(BROADER, "<"))
def test_a_narrower_term_entails_the_broader_one(narrow: str, broad: str) -> None:
    assert heads.grade(broad, narrow) >= PARTIAL
    assert heads.grade(narrow, broad) >= PARTIAL


def test_hyphens_spellings_and_plurals_do_not_matter() -> None:
    assert heads.senses("t shirt") == heads.senses("T-shirt") == heads.senses("t-shirts") != ()
    assert heads.senses("moustache") == heads.senses("mustaches") != ()
    assert heads.senses("ship's wheel") == heads.senses("ship wheel") != ()
