"""Descriptions with their coreference marked by hand: ``{w:woman}`` is a mention of the entity ``w``.

Written for these tests in the manner of museum descriptions for people who do not see the picture, and of long
captions. Unmarked words are not judged.
"""

from __future__ import annotations

DESCRIPTIONS: dict[str, str] = {
    "portrait": (
        "A middle-aged {m:man} sits in a carved armchair, shown from the knees up. {m:He} wears a black {c:coat} "
        "with a fur collar, and {m:his} gray {b:beard} is trimmed to a point. The {m:man} looks straight at us. "
        "{m:His} right hand rests on a small {d:dog} that lies on {m:his} lap, while {m:his} left hand holds a "
        "{l:letter}. The {d:dog} is white, and {d:its} ears are brown. A red seal hangs from the {l:letter}. "
        "Over the {c:coat}, a gold chain crosses {m:his} chest."
    ),
    "two men": (
        "Two {g:men} face each other across a table. The {a:man} on the left wears a green {h:hat} and pours "
        "wine into a {c:cup}. The {b:man} on the right rests {b:his} chin on {b:his} hand and watches {a:him}. "
        "Behind the {g:men}, a curtain hides most of the room. The {h:hat} of the {a:man} on the left has a long "
        "feather. The other {b:man} is bareheaded."
    ),
    "three women": (
        "Three {g:women} stand at a well. The {a:woman} in the center lowers a {k:bucket} with both hands. To "
        "her left, an older {b:woman} in a gray shawl leans on {b:her} stick. The third {c:woman}, in yellow, "
        "carries a child on {c:her} back. All three {g:women} wear wooden shoes. The {k:bucket} is nearly full."
    ),
    "mother and child": (
        "A {w:woman} bends over a {t:tub} to bathe a young {c:girl}. The {c:child} sits on {w:her} lap, and "
        "{c:her} feet dangle above the water. The {w:woman} holds the {c:girl} around the waist. A {p:pitcher} "
        "stands beside the {t:tub}. {p:It} is painted with blue flowers."
    ),
    "interior": (
        "In this interior, a {s:servant} in a blue apron stands at a {w:window}. {s:She} holds a brass {j:jug} "
        "by {j:its} handle. Light from the {w:window} falls on a {t:table} covered with a red {r:rug}. A "
        "{b:bowl} is on the {t:table}, and {b:it} holds three pears. The {r:rug} has a dark fringe. The "
        "{s:servant}’s sleeves are rolled up above {s:her} elbows."
    ),
    "street": (
        "A red {a:car} and a blue {b:car} are parked in front of a {h:house}. The red {a:car} has a dent in "
        "{a:its} door. A {c:cat} sleeps on the roof of the blue {b:car}. The {h:house} is built of brick, and "
        "{h:its} shutters are closed. A {d:woman} in sunglasses walks past the {h:house} with {d:her} {e:dog}. "
        "The {e:dog} pulls on the leash."
    ),
    "harbor": (
        "Several {s:boats} are moored along a {q:quay}. The largest {b:boat} has two masts; {b:its} sails are "
        "furled. A {f:fisherman} sits on the edge of the {q:quay} and mends a {n:net}. {f:He} has a pipe in "
        "{f:his} mouth. Gulls circle above {f:him}. The {n:net} trails in the water."
    ),
    "couple": (
        "A {m:man} and a {w:woman} are dancing in an empty ballroom. {g:They} are dressed for the evening: "
        "{m:he} wears a tuxedo and {w:she} wears a silver {d:gown}. {w:Her} hand lies on {m:his} shoulder. The "
        "{d:gown} trails on the floor. The {g:couple} is reflected in a tall {x:mirror}, and the frame of the "
        "{x:mirror} is gilded."
    ),
    "cataphora": (
        "Wearing a straw {h:hat}, a {f:farmer} walks behind {f:his} {p:plow}. In {f:his} left hand, the "
        "{f:farmer} holds the reins. Two {o:oxen} pull the {p:plow}, and {o:their} heads are lowered. With "
        "{o:their} tails raised, the {o:animals} strain forward."
    ),
    "another": (
        "A {a:boy} kneels at the edge of a {p:pond} with a stick in {a:his} hand. Another {b:boy} stands behind "
        "{a:him}, and {b:he} points at a {s:swan}. The {s:swan} turns {s:its} head away. The kneeling {a:boy} "
        "wears a red cap. A second {t:swan} swims at the far side of the {p:pond}."
    ),
    "one and other": (
        "Two {g:children} play on a beach. {a:One} digs with a {s:shovel}; the {b:other} carries a bucket. The "
        "{s:shovel} is green. Both {g:children} are barefoot, and {g:their} {x:hair} is wet."
    ),
    "saint": (
        "{j:Jerome} sits at a desk in {j:his} study, and a {l:lion} sleeps at {j:his} feet. The old {j:man} "
        "bends over a {b:book}. The {l:animal} rests {l:its} head on {l:its} paws. A skull lies beside the open "
        "{b:book}."
    ),
    "group portrait": (
        "Five {g:men} in dark suits are gathered around a {t:table}. {g:They} look up as if {g:they} were "
        "interrupted. The {a:man} nearest to us has turned in {a:his} chair, and {a:his} {h:hand} rests on an "
        "open {l:ledger}. The pages of the {l:ledger} are yellowed. A {s:servant} without a hat stands behind "
        "the {g:men}; {s:he} holds a candle. On the {t:table} lies a red cloth."
    ),
    "cat photo": (
        "A close-up of a tabby {c:cat} lying on a {s:sofa}. The {c:cat}'s eyes are half closed, and one of "
        "{c:its} paws hangs over the edge of the {s:sofa}. {c:It} wears a blue {k:collar} with a bell on {k:it}. "
        "A knitted {b:blanket} is spread over the {s:couch}. The {b:blanket} has a pattern of white stars."
    ),
    "namesakes": (
        "On the left, a {a:vase} of yellow tulips stands on a shelf. On the right, a {b:vase} of dried grass "
        "stands on the floor. The {a:vase} on the left is made of glass; the {b:vase} on the right is made of "
        "clay. {b:It} has a crack near {b:its} base."
    ),
    "rider": (
        "A {m:man} rides a brown {h:horse} across a plain. The {h:horse} has all four hooves off the ground, and "
        "{h:its} mane streams behind {h:it}. The {m:rider} leans forward and holds the reins in {m:his} left "
        "hand. {m:He} looks back over {m:his} shoulder."
    ),
    "sisters": (
        "A tall {a:girl} in white stands beside her younger {b:sister}, who sits on a stool. The {b:sister} "
        "holds a {d:doll} against {b:her} chest. The {d:doll} has lost one of {d:its} shoes. Neither girl "
        "smiles. The taller {a:girl} has placed {a:her} hand on the {b:sister}'s head."
    ),
    "person": (
        "A {p:person} in a yellow raincoat stands on a {c:cliff} with {p:their} back to us. {p:They} hold an "
        "{u:umbrella} that the wind has turned inside out. Below the {c:cliff}, waves break on the rocks."
    ),
    "bathers": (
        "Four nude {g:women} bathe in a shallow {s:stream} at the edge of a forest in this horizontal painting. "
        "To our left, one {a:woman} stands with {a:her} back to us and lifts {a:her} long auburn {ah:hair} with "
        "both hands. A second {b:woman} sits on the {k:bank} near {a:her} and dips {b:her} foot into the "
        "{s:water}. {b:Her} body is angled to our right, and {b:she} looks down in profile. The other two "
        "{r:women} stand close together in the middle of the {s:stream}. The {c:woman} on the right in that pair "
        "wraps {c:her} arm around {c:her} {d:companion}’s shoulders. A white {w:cloth} hangs from a branch over "
        "the {k:bank}, and {w:its} reflection shimmers in the {s:stream}. All four {g:women} have pale, peachy "
        "skin."
    ),
    "cardplayers": (
        "Three {g:men} sit around a small square {t:table} in a dim {r:room} and play cards. The {a:man} to our "
        "left wears a broad-brimmed {h:hat} that shades {a:his} eyes. {a:He} holds {a:his} {k:cards} close to "
        "{a:his} chest. Across from {a:him}, a younger {b:man} in a striped doublet reaches behind {b:his} back "
        "and pulls a {x:card} from {b:his} belt. The third {c:man} stands between {g2:them} and looks over the "
        "first {a:man}’s shoulder. {c:He} holds up two fingers of {c:his} gloved hand. A {l:lantern} hangs above "
        "the {t:table}; {l:it} casts a yellow light on the {g:men}’s faces."
    ),
    "landscape": (
        "We look across a {v:valley} toward a snow-covered {m:mountain} in this nearly square landscape "
        "painting. A {r:river} winds through the {v:valley} from the lower left, and {r:it} reflects the pink "
        "sky. Two {c:cows} drink at the edge of the {r:river}. One {c1:cow} is brown and white; the {c2:other} "
        "is black. A {b:boy} in a straw hat leans on a {f:fence} and watches the {c:animals}. {b:His} {d:dog} "
        "lies at {b:his} feet with {d:its} muzzle on {d:its} paws. The {m:mountain}’s peak is lost in clouds. "
        "The {f:fence} runs along a path that leads to a {h:cottage}, and smoke rises from {h:its} chimney."
    ),
    "madonna": (
        "{m:Mary} sits on a stone {t:throne} and holds the {c:Child} on {m:her} knee. {m:She} wears a deep blue "
        "{r:robe} over a red dress, and the {r:robe} is edged with gold. The {c:baby} reaches for a "
        "{g:goldfinch} in {m:her} hand. Two {a:angels} hover behind the {t:throne}, and {a:they} hold a green "
        "curtain. The {a1:angel} on the left plays a {l:lute}; the {a2:angel} on the right sings. {a2:Her} mouth "
        "is open. The {l:lute} has a broken string. In front of the {t:throne}, a bearded {s:saint} kneels and "
        "looks up at the {c:child}."
    ),
    "dancer": (
        "A {d:ballerina} is about to step on stage. {d:She} stands in profile with one {h:hand} on {d:her} hip "
        "and adjusts the {s:strap} of {d:her} {x:costume} with the other. The pale green {x:costume} has a "
        "stiff, knee-length {k:skirt}. Behind the {d:dancer}, a {m:man} in a black suit is cropped by the edge "
        "of the canvas. {m:He} seems to speak to {d:her}, but {m:his} face is hidden. Other {o:dancers} wait in "
        "the wings, and {o:their} arms are raised."
    ),
    "still life": (
        "A pewter {j:jug}, a glass {g:goblet}, and a {p:plate} of oysters are arranged on a white "
        "{c:tablecloth}. The {j:jug} stands at the left and {j:its} lid is open. The {g:goblet} is half full of "
        "wine. Next to {g:it}, a peeled {l:lemon} lies on the {c:cloth}, and {l:its} rind hangs over the edge of "
        "the {t:table}. A {k:knife} with an ivory handle rests on the {p:plate}. The {k:knife}'s blade points "
        "toward the {l:lemon}. The {t:table} is otherwise empty."
    ),
    "photograph of two": (
        "The image shows a {m:man} and a {w:woman} sitting at an outdoor {t:table}. The {m:man} is on the left. "
        "{m:He} has short gray hair and wears a checkered {s:shirt}. The {w:woman} is on the right; {w:she} is "
        "smiling and holding a {p:phone}. The {p:phone} is in a pink case. There are two {c:cups} on the "
        "{t:table}. One of the {c1:cups} is empty. Behind the {g:couple}, a {b:bicycle} leans against a wall. "
        "The {b:bicycle} is red and {b:it} has a basket. The {m:man}'s {s:shirt} is tucked into {m:his} jeans."
    ),
    "family": (
        "A {f:family} of five poses on the steps of a {h:house}. The {a:father} stands at the back with {a:his} "
        "hands in {a:his} pockets. In front of {a:him}, the {b:mother} holds a {c:baby}, who sucks {c:its} "
        "thumb. Two {g:girls} in matching {d:dresses} sit on the lowest step. The older {e:girl} has braids, and "
        "the younger {y:one} holds a {r:rabbit} in {y:her} lap. {r:It} has long gray ears. The {g:girls}’ "
        "{d:dresses} are white with blue sashes. The {h:house} has a red door."
    ),
    "soldiers": (
        "A wounded {s:soldier} lies on the ground, and a {n:nurse} is kneeling beside {s:him}. {n:She} lifts "
        "{s:his} head with one hand and holds a {c:cup} to {s:his} lips with the other. {s:His} {j:jacket} is "
        "torn, and {s:he} has lost one boot. A second {t:soldier} with a bandaged arm looks on. {t:He} leans on "
        "{t:his} {r:rifle}. The {r:rifle} has a bayonet. A {h:horse} without a rider stands behind {t:him}. The "
        "{n:nurse}'s white apron is stained."
    ),
    "portrait pair": (
        "This double portrait shows an elderly {c:couple}. The {w:woman} sits in the foreground; {w:her} hands "
        "are folded over a {b:book}. {w:She} wears a lace {k:cap} and a dark {d:dress}. The {m:man} stands "
        "behind {w:her} with one hand on the back of {w:her} {h:chair}. {m:His} eyes are turned toward {w:her}, "
        "while {w:she} gazes out at us. The {b:book} is bound in red leather. Both {c:figures} are lit from the "
        "left. The {h:chair} is upholstered in green."
    ),
    "letter": (
        "Seen from the waist up, a young {w:woman} with her head bowed reads a {l:letter} in this vertical "
        "painting. {w:She} faces our left in profile, standing before an open {o:window}. {w:Her} blond {h:hair} "
        "is pulled back, and loose ringlets fall beside {w:her} cheek. {w:She} wears a yellow {j:jacket} with "
        "black trim. The {o:window}’s panes reflect {w:her} face. A {b:bowl} of fruit has been tipped over on a "
        "rumpled {r:carpet} on the {t:table} in front of {w:her}. A green {c:curtain} hangs along the right edge "
        "of the composition, and {c:its} folds catch the light. The {l:letter} is creased where {w:she} has held "
        "{l:it}."
    ),
    "wedding": (
        "A {b:bride} and {g:groom} stand beneath a {c:canopy} of flowers. {p:They} face each other and hold "
        "hands. The {b:bride} wears a long-sleeved {d:gown} with a train that spreads across the grass behind "
        "{b:her}. {b:Her} {v:veil} is held in place by a comb. The {g:groom}, dressed in a navy suit, smiles at "
        "{b:her}; {g:his} tie matches the flowers on the {c:canopy}. To the right, three {m:bridesmaids} in "
        "lavender dresses look on. One {m1:bridesmaid} wipes {m1:her} eyes with a {t:tissue}. {m:They} all carry "
        "bouquets."
    ),
    "workshop": (
        "A {c:carpenter} bends over a long {w:workbench} in a cluttered {s:shop}. {c:He} wears a leather "
        "{a:apron} over a blue shirt, and {c:his} sleeves are rolled to the elbow. With {c:his} right hand, "
        "{c:he} pushes a {p:plane} along a {b:board}; {c:his} left hand steadies {b:it}. Curls of wood lie on "
        "the floor beneath the {w:workbench}. A {y:boy}, perhaps {c:his} apprentice, sweeps in the background. "
        "{y:He} holds the broom with both hands. A {k:cat} watches {y:him} from the windowsill. The {k:cat}’s "
        "tail hangs down. The {a:apron} has two deep pockets."
    ),
    "musicians": (
        "Two {w:women} and a {m:man} make music in a paneled room. The seated {a:woman} plays a {v:violin}, "
        "while the standing {b:woman} sings from a sheet of {s:music} that {b:she} holds in front of {b:her}. "
        "The {m:man} sits at a {h:harpsichord} with {m:his} back to us. {m:He} turns {m:his} head toward the "
        "{b:singer}. All three {t:musicians} wear powdered wigs. The {h:harpsichord}’s lid is painted with a "
        "landscape. A {d:dog} has fallen asleep under {h:it}."
    ),
    "running children": (
        "Three {k:kids} run along a {b:beach} toward the {s:sea}. The {a:boy} in front wears red {t:trunks} and "
        "throws {a:his} arms in the air. Behind {a:him}, a {g:girl} in a striped swimsuit pulls a smaller "
        "{c:child} by the hand. {g:She} looks back at {c:him}. {g:Her} braids fly out behind {g:her}. The "
        "{k:children} have left footprints in the sand. The {s:sea} is calm, and a {f:ferry} can be seen on the "
        "horizon. {f:It} is white with a blue stripe."
    ),
    "two dogs": (
        "This photograph shows a black {d:dog} and a white {c:dog} on a wooden {p:porch}. The black {d:dog} is "
        "lying down, and {d:its} front paws are crossed. The white {c:dog} sits next to {d:it} with {c:its} "
        "tongue out. {c:It} has a red bandana around {c:its} neck. Both {g:dogs} look toward the camera. The "
        "{p:porch} has a white railing. Behind the {g:dogs} there is a green {o:door} with a brass knob, and the "
        "{o:door} is half open."
    ),
    "officers": (
        "Two police {o:officers} stand beside a parked {c:car}. The taller {a:officer} is writing in a small "
        "{n:notebook}. The shorter {b:one} leans against the {c:car}’s hood with {b:his} arms folded. A "
        "{d:driver} sits behind the wheel; {d:she} has rolled down the {w:window} and is handing out {d:her} "
        "license. The {c:car} is a silver sedan. The {n:notebook} has a black cover. Neither {o:officer} wears a "
        "hat."
    ),
    "kitchen": (
        "An old {w:woman} fries {e:eggs} in a clay {p:pan} over a small {s:stove}. {w:She} holds a wooden "
        "{u:spoon} in one hand and an {g:egg} in the other. A {b:boy} with a {m:melon} under {b:his} arm looks "
        "at {w:her}. {b:He} carries a glass {f:flask} of wine. The {w:woman}’s white {v:veil} covers {w:her} "
        "hair and falls over {w:her} shoulders. The {e:eggs} sizzle in the hot {p:pan}. Light falls from the "
        "left and glints on the {f:flask}. The {m:melon} is tied with string."
    ),
    "markdown caption": (
        "**Description:**\n\n- **Main subject:** A {c:chef} in a white {j:jacket} stands behind a steel "
        "{k:counter}. {c:He} is sprinkling salt over a {s:steak}.\n- **Background:** Behind {c:him}, a {w:woman} "
        "with a ponytail washes {p:pots} at a {z:sink}. {w:She} has {w:her} back to the camera.\n\nThe "
        "{k:counter} is cluttered with {b:bowls}. One of the {b1:bowls} contains chopped parsley. The {c:chef}'s "
        "{j:jacket} has black buttons. The overall mood is busy."
    ),
    "execution": (
        "A {m:man} with his {a:arms} raised kneels before a line of {s:soldiers} at night. {m:His} white "
        "{h:shirt} glows in the light of a {l:lantern} on the ground. The {s:soldiers}, seen from behind, aim "
        "{s:their} {r:rifles} at {m:him}. {s:They} wear long gray coats and tall hats. To the left of the "
        "{m:man}, a {f:friar} clasps {f:his} hands and bows {f:his} head. Bodies lie in a pool of blood in front "
        "of {g:them}. A {t:tower} rises in the dark sky. The {l:lantern} is square, and {l:it} stands between "
        "the two groups."
    ),
    "sculpture": (
        "This bronze {s:sculpture} shows a {h:horse} rearing on {h:its} hind legs. The {h:horse}'s mane and tail "
        "are flowing, and {h:its} mouth is open. A {w:warrior} sits on {h:its} back and twists to the right. "
        "{w:He} holds a {d:shield} in {w:his} left hand; {w:his} right arm is broken off at the elbow. The "
        "{d:shield} is decorated with a {l:lion}. The {s:sculpture} stands on a marble {b:base}, and an "
        "inscription runs around {b:it}."
    ),
    "market": (
        "A crowded outdoor {m:market} fills the {q:square}. In the foreground, a {v:vendor} in a yellow "
        "headscarf sells oranges from a wooden {c:cart}. {v:She} weighs some of {o:them} on a {s:scale}. An "
        "older {a:woman} waits with {a:her} {p:purse} in {a:her} hands, and a small {b:boy} tugs at {a:her} "
        "skirt. {b:He} wants an {x:orange}. Two {d:dogs} fight over a {e:bone} beside the {c:cart}. One {d1:dog} "
        "is spotted, the {d2:other} is brown. The {v:vendor} ignores {d:them}. A {h:church} with two towers "
        "stands at the far side of the {q:square}; {h:its} clock shows noon."
    ),
    "color fields": (
        "Two large {r:rectangles} are stacked against an orange background in this abstract painting. The upper "
        "{a:rectangle} is dark red, and {a:its} edges are blurred. The lower {b:rectangle} is black. {b:It} is "
        "slightly wider than the one above. A thin white {l:line} separates the {r:rectangles}. The {l:line} "
        "does not reach the edges of the canvas."
    ),
    "readers": (
        "A {f:father} and {f:his} two {k:daughters} sit on a {b:bench} in a park. The older {a:daughter} reads a "
        "{o:book} aloud, and the younger {c:daughter} rests {c:her} head on {f:his} shoulder. {k:They} wear "
        "matching {d:coats}. The {f:father} has put {f:his} newspaper aside. The {o:book} has a red cover with a "
        "{e:picture} of a fox on {o:it}. Under the {b:bench}, a {p:pigeon} pecks at crumbs; {p:it} has one lame "
        "foot."
    ),
}
