"""Metrics by name: PoSh and every row of the PoSh paper's tables of baselines, and what each needs to run."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

from posh_lite.errors import InputError, MissingDependency, PoshLiteError
from posh_lite.judge.registry import install_command
from posh_lite.metric.protocol import Metric


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """A metric that the package knows.

    Attributes:
        name: as on the command line.
        title: for tables, as the paper writes it.
        target: ``module:Class`` (or a function that returns a metric), imported on use.
        about: one line.
        family: "simple", "overlap", "graph", "embedding", "vision", "language model" or "ours".
        needs: of :data:`posh_lite.metric.protocol.NEEDS`.
        modules: what must be importable.
        extra: the extra that installs these, or None.
        programs: what must be on the path ("java").
        variables: environment variables that must be set (keys of services, addresses).
        model: what may be named after a colon, as in ``posh:gguf:model.gguf``; empty for none.
        options: keywords that this row hands to the target.
        paper: the row's method in ``data/paper`` (tables "coarse_results" and "full_coarse_results", or
            "docent_granular_results"), or empty for a metric that the paper does not have.
        granular: whether it points at places.
        check: ``module:function`` that says what else is lacking, a list of lines. One that takes any keywords
            gets the settings that the metric would be made with.
    """

    name: str
    title: str
    target: str
    about: str
    family: str
    needs: frozenset[str] = frozenset()
    modules: tuple[str, ...] = ()
    extra: str | None = None
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    model: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    paper: str = ""
    granular: bool = False
    check: str = ""

    def lacks(self, settings: Mapping[str, Any] | None = None) -> list[str]:
        """What keeps it from running here, a line each with what to do; empty where it can run.

        Args:
            settings: what the metric would be made with besides the row's own options, such as an address.
        """
        found = []
        modules = [m for m in self.modules if importlib.util.find_spec(m) is None]
        if modules:
            found.append(f"{', '.join(modules)}: {install_command(self.extra)}")
        found += [f"the program {p} is not on the path" for p in self.programs if shutil.which(p) is None]
        found += [f"the variable {v} is not set" for v in self.variables if not os.environ.get(v)]
        if self.check and not modules:
            check = cast(Callable[..., list[str]], _import(self.check, self.name))
            any_keywords = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(check).parameters.values())
            found += check(**{**dict(self.options), **(settings or {})}) if any_keywords else check()
        return found


METRICS: dict[str, MetricEntry] = {}


def _enter(*entries: MetricEntry) -> None:
    METRICS.update((entry.name, entry) for entry in entries)


_enter(
    MetricEntry("posh", "PoSh", "posh_lite.baselines.ours:posh", "scene graphs and a judge; a judge other than the"
                " lexical one after a colon", "ours", frozenset({"reference"}), ("spacy",), model="gguf:FILE.gguf",
                paper="PoSh", granular=True),
    MetricEntry("posh-present", "PoSh, share present", "posh_lite.baselines.ours:posh", "the same verdicts, but the"
                " share of components that are present in the place of their mean; ours, not the paper's", "ours",
                frozenset({"reference"}), ("spacy",), model="gguf:FILE.gguf", options=(("aggregation", "present"),),
                granular=True),
)

_REFERENCE = frozenset({"reference"})
_JAVA = frozenset({"reference", "java"})
_enter(
    MetricEntry("random", "Random", "posh_lite.baselines.simple:RandomMetric", "a guess for each pair and each word,"
                " by a hash of the pair's id", "simple", paper="Random", granular=True),
    MetricEntry("length", "length", "posh_lite.baselines.simple:LengthMetric", "words of the generation", "simple",
                paper="length"),
    MetricEntry("bleu", "BLEU-4", "posh_lite.baselines.overlap:Bleu", "sacreBLEU on single pairs, exponential"
                " smoothing, tokenizer 13a", "overlap", _REFERENCE, ("sacrebleu",), "baselines", paper="BLEU-4"),
    MetricEntry("bleu-coco", "BLEU-4 (COCO)", "posh_lite.baselines.coco:CocoBleu", "pycocoevalcap's BLEU-4 on Penn"
                " Treebank tokens", "overlap", _JAVA, ("pycocoevalcap",), "baselines", ("java",)),
    MetricEntry("cider", "CIDEr", "posh_lite.baselines.cider:Cider", "CIDEr-D, weights from the references of the run",
                "overlap", _REFERENCE, paper="CIDER"),
    MetricEntry("meteor", "METEOR", "posh_lite.baselines.coco:CocoMeteor", "METEOR 1.5 through Java, with synonyms and"
                " paraphrases", "overlap", _JAVA, ("pycocoevalcap",), "baselines", ("java",), paper="METEOR"),
    MetricEntry("meteor-nltk", "METEOR (NLTK)", "posh_lite.baselines.overlap:NltkMeteor", "NLTK's METEOR with WordNet's"
                " synonyms", "overlap", _REFERENCE, ("nltk",), "baselines", options=(("wordnet", "find"),),
                check="posh_lite.baselines.wordnet:lacks_wordnet"),
    MetricEntry("meteor-stem", "METEOR (stems)", "posh_lite.baselines.overlap:NltkMeteor", "NLTK's METEOR without"
                " synonyms: exact words and stems", "overlap", _REFERENCE, ("nltk",), "baselines"),
    MetricEntry("rouge-lsum", "ROUGE-LSum", "posh_lite.baselines.overlap:RougeLsum", "rouge-score's F1 of longest"
                " common subsequences, with stems", "overlap", _REFERENCE, ("rouge_score",), "baselines",
                paper="ROUGE-LS"),
    MetricEntry("spice", "SPICE", "posh_lite.baselines.coco:Spice", "SPICE itself, through Java, on the graphs of its"
                " own parser", "graph", _JAVA, ("pycocoevalcap",), "baselines", ("java",), paper="SPICE",
                check="posh_lite.baselines.java:lacks_spice"),
    MetricEntry("spice-graph", "SPICE-like F1, our graphs", "posh_lite.baselines.graph_f1:SpiceGraph", "F1 of the"
                " tuples of our scene graphs, synonyms from our lexicon; not SPICE", "graph", _REFERENCE, ("spacy",),
                granular=True),
    MetricEntry("capture-graph", "CAPTURE-like, our graphs", "posh_lite.baselines.capture_graph:CaptureGraph",
                "CAPTURE's weights and matching on our scene graphs, without embeddings unless one is given; not"
                " CAPTURE", "graph", _REFERENCE, ("spacy",)),
)
_EMBED = frozenset({"reference", "model"})
_EMBEDDING = "posh_lite.baselines.embedding:lacking"
_TRANSFORMERS = ("sentence_transformers",)
_enter(
    MetricEntry("4gram-embed", "4GramEmbed", "posh_lite.baselines.phrase_embed:FourGramEmbed", "runs of four words,"
                " their closest ones in the other text by Qwen3-Embedding-8B or another model", "embedding", _EMBED,
                _TRANSFORMERS, "baselines", model="NAME-OR-FOLDER", paper="4GramEmbed", granular=True,
                check=_EMBEDDING),
    MetricEntry("sg-embed", "SGEmbed", "posh_lite.baselines.phrase_embed:SGEmbed", "components of our scene graphs,"
                " their closest ones in the other text by Qwen3-Embedding-8B or another model", "embedding", _EMBED,
                (*_TRANSFORMERS, "spacy"), "baselines", model="NAME-OR-FOLDER", paper="SGEmbed", granular=True,
                check=_EMBEDDING),
    MetricEntry("4gram-minilm", "4GramEmbed, MiniLM", "posh_lite.baselines.phrase_embed:FourGramEmbed",
                "4GramEmbed with all-MiniLM-L6-v2 (22 million parameters) for the paper's Qwen3-Embedding-8B; our"
                " stand-in", "embedding", _EMBED, _TRANSFORMERS, "baselines", options=(("model", "minilm"),),
                granular=True, check=_EMBEDDING),
    MetricEntry("sg-minilm", "SGEmbed, MiniLM", "posh_lite.baselines.phrase_embed:SGEmbed", "SGEmbed with"
                " all-MiniLM-L6-v2 (22 million parameters) for the paper's Qwen3-Embedding-8B; our stand-in",
                "embedding", _EMBED, (*_TRANSFORMERS, "spacy"), "baselines", options=(("model", "minilm"),),
                granular=True, check=_EMBEDDING),
    MetricEntry("4gram-chars", "4GramEmbed, spelling only", "posh_lite.baselines.phrase_embed:FourGramEmbed",
                "4GramEmbed with hashed character n-grams for an embedding; our stand-in", "embedding", _REFERENCE,
                options=(("model", "chars"),), granular=True),
    MetricEntry("sg-chars", "SGEmbed, spelling only", "posh_lite.baselines.phrase_embed:SGEmbed",
                "SGEmbed with hashed character n-grams for an embedding; our stand-in", "embedding", _REFERENCE,
                ("spacy",), options=(("model", "chars"),), granular=True),
    MetricEntry("capture", "CAPTURE", "posh_lite.baselines.capture:Capture", "CAPTURE by its authors' package:"
                " FACTUAL's parser, WordNet, sentence embeddings", "graph", _EMBED, paper="CAPTURE",
                check="posh_lite.baselines.capture:lacking"),
    MetricEntry("clipscore", "CLIPScore", "posh_lite.baselines.clip:ClipScore", "CLIP's similarity of picture and"
                " text, of which it reads 77 tokens", "vision", frozenset({"image", "model"}),
                ("transformers", "torch", "PIL"), "baselines", model="NAME-OR-FOLDER",
                paper="CLIPScore", check="posh_lite.baselines.clip:lacking"),
)

_ASKED = "posh_lite.baselines.asked:Asked"
_LACKING = "posh_lite.baselines.chat_engines:lacking"
_SHOWN = {"image": ("image", "the picture alone"), "reference": ("reference", "the reference alone"),
          "both": ("image and reference", "picture and reference")}
_SEEN = {"image": frozenset({"image"}), "reference": _REFERENCE, "both": frozenset({"image", "reference"})}
#: As the paper's footnote names them; the second thinks as little as it can, and takes neither temperature nor
#: the older name of the bound on tokens.
_OPENAI: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GPT4o": ("GPT-4o", "gpt-4o-2024-08-06", {}),
    "GPT5": ("GPT-5", "gpt-5-2025-08-07", {"extra": {
        "reasoning_effort": "minimal", "temperature": None, "max_tokens": None, "max_completion_tokens": 4096}}),
}
_enter(*(
    MetricEntry(f"{paper.lower()}-{setting}", f"{title} ({shown})", _ASKED, f"{title} gives three marks from {about}",
                "language model", _SEEN[setting] | {"key", "network"}, extra="openai", model="MODEL",
                options=(("model", model), ("row_model", model), ("setting", setting), ("hosted", True),
                         ("row", f"{paper.lower()}-{setting}"), *more.items()),
                paper=f"{paper} ({shown})", check=_LACKING)
    for paper, (title, model, more) in _OPENAI.items() for setting, (shown, about) in _SHOWN.items()
))
_enter(
    MetricEntry("qwen3-32b", "Qwen3-32B", _ASKED, "a language model gives three marks from the reference, thinking off;"
                " behind a server, or as gguf:FILE, transformers:MODEL, vllm:MODEL after a colon", "language model",
                _REFERENCE | {"server"}, model="vllm:Qwen/Qwen3-32B", paper="Qwen3", check=_LACKING,
                options=(("model", "Qwen/Qwen3-32B"), ("row_model", "Qwen/Qwen3-32B"), ("setting", "reference"),
                         ("row", "qwen3-32b"), ("thinking", False))),
    MetricEntry("llava-critic", "LLaVA-Critic-72B", "posh_lite.baselines.critic:LlavaCritic", "an open model trained to"
                " judge gives three marks from picture and reference", "language model", _SEEN["both"] | {"server"},
                model="MODEL", options=(("setting", "both"), ("model", "lmms-lab/llava-critic-72b")),
                paper="LLaVa Critic", check=_LACKING),
    MetricEntry("prometheus", "Prometheus 8x7B", "posh_lite.baselines.prometheus:Prometheus", "an open model trained to"
                " grade by rubrics, from the reference", "language model", _REFERENCE | {"server"}, model="MODEL",
                options=(("model", "prometheus-eval/prometheus-8x7b-v2.0"),), paper="Prometheus", check=_LACKING),
    MetricEntry("fleur", "FLEUR", "posh_lite.baselines.fleur:Fleur", "a vision-language model rates from 0 to 1 by the"
                " picture alone, smoothed over the digits' probabilities; transformers:MODEL runs it in this process",
                "vision", _SEEN["image"] | {"server"}, model="transformers:llava-hf/llava-1.5-13b-hf",
                options=(("model", "llava-hf/llava-1.5-13b-hf"),), paper="FLEUR",
                check="posh_lite.baselines.chat_engines:lacking_with_image"),
    MetricEntry("dcscore", "DCScore", "posh_lite.baselines.dcscore:DCScore", "GPT-4o splits both texts into units,"
                " matches them and checks each by the picture; the option against=reference does without pictures",
                "language model", _SEEN["both"] | {"key", "network"}, model="MODEL", paper="DCScore",
                options=(("model", "gpt-4o-2024-08-06"),),
                check="posh_lite.baselines.chat_engines:lacking_for_dcscore"),
    MetricEntry("asked", "A model of one's own", _ASKED, "any model gives three marks; the option setting is image,"
                " reference or both", "language model", _REFERENCE | {"server"}, model="MODEL", check=_LACKING,
                options=(("model", ""),)),
)


def make_metric(name: str, /, **options: Any) -> Metric:
    """The metric of that name, or of the class given as ``module:Class``.

    Args:
        name: a key of :data:`METRICS`, where the entry says so with a model after a colon; or ``module:Class`` of
            a metric of one's own.
        options: handed to the metric.

    Raises:
        InputError: there is no such metric, it takes no such option, or one's own cannot be made.
        MissingDependency: something that it needs is not there; the message says what and how to get it.
    """
    check_metric(name, options)
    known, _, rest = name.partition(":")
    entry = METRICS.get(known)
    if entry is None:
        try:
            return _checked(_import(name, name)(**options), name)
        except PoshLiteError:
            raise
        except Exception as error:  # the code of a file of one's own runs here
            raise InputError(f'the metric "{name}" cannot be made: {type(error).__name__}: {error}') from error
    settings = {**({"model": rest} if rest else {}), **options}
    if lacking := entry.lacks(settings):
        raise MissingDependency(f'the metric "{known}" cannot run here: {"; ".join(lacking)}')
    return _checked(_import(entry.target, known)(**{**dict(entry.options), **settings}), name)


def check_metric(name: str, options: Mapping[str, Any] | None = None) -> None:
    """Find what makes a metric without making it, so that a slip in a name is told before anything is scored.

    Args:
        name: as :func:`make_metric` takes it.
        options: keywords that it will be called with.

    Raises:
        InputError: there is no such metric, it takes no model, or it has no such option.
    """
    known, _, rest = name.partition(":")
    entry = METRICS.get(known)
    if entry is None and not rest:
        near = get_close_matches(known, METRICS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(METRICS)}."
        raise InputError(f'no metric named "{name}"; {hint} One\'s own is given as module:Class')
    if entry is not None and rest and not entry.model:
        raise InputError(f'the metric "{known}" takes no model, got "{name}"')
    if entry is not None and any(importlib.util.find_spec(m) is None for m in entry.modules):
        return  # it may need them to be imported, and cannot be made anyway
    make = _import(entry.target if entry else name, known if entry else name)
    if not callable(make):
        raise InputError(f'"{name}" is no class of a metric, and no function that returns one')
    _check_options(name, make, options or {}, own=entry is None)


def _check_options(name: str, make: Callable[..., Any], options: Mapping[str, Any], *, own: bool) -> None:
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):  # it has none to tell
        return
    known = dict(signature.parameters)
    if any(p.kind is p.VAR_KEYWORD for p in known.values()) and make.__module__ == "posh_lite.baselines.ours":
        from posh_lite.metric.posh import PoSh

        known = {"model": known["model"], **inspect.signature(PoSh).parameters}
    names = [n for n, p in known.items() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in known.values())
    if not open_ended and (unknown := [option for option in options if option not in names]):
        near = get_close_matches(unknown[0], names, n=1)
        hint = f"did you mean {near[0]}? It takes" if near else "it takes"
        raise InputError(f'the metric "{name}" has no option "{unknown[0]}"; {hint} {", ".join(names) or "none"}')
    if own:
        try:
            signature.bind(**options)
        except TypeError as error:
            raise InputError(
                f'the metric "{name}" cannot be made from its name and options: {error}; expected a class of a metric,'
                " or a function that returns one"
            ) from None


def without_py(name: str) -> str:
    """What to write for a file of one's own that is named as a file, in brackets; empty for any other name."""
    module, _, attribute = name.partition(":")
    if not module.endswith(".py") or not attribute:
        return ""
    return f" (a module is named without .py: {module.removesuffix('.py').strip('./').replace('/', '.')}:{attribute})"


def _import(target: str, name: str) -> Any:
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the code of a file of one's own runs here
        near = get_close_matches(module, METRICS, n=1)
        hint = without_py(target) or (f"; did you mean {near[0]}:{attribute}?" if near else "")
        raise InputError(f'the metric "{name}" cannot be imported: {" ".join(str(error).split())}{hint}') from None


def _checked(metric: Any, name: str) -> Metric:
    if not isinstance(metric, Metric):
        raise InputError(f'"{name}" is no metric: it needs name, needs and score(pairs), see posh_lite.metric.protocol')
    return metric
