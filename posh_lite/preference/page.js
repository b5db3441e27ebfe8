(function () {
  'use strict';
  var study = JSON.parse(document.getElementById('study').textContent);
  var FORMAT = 'posh-lite preference answers 1', LETTERS = 'ABC', PLACES = ['first', 'second', 'third'];
  var $ = function (id) { return document.getElementById(id); };
  var rater = null, trials = [], at = 0, state = {answers: {}, drafts: {}}, keeps = true, saved = true, since = 0;

  // text only: nothing of a caption is ever read as markup
  function make(tag, kind, text) {
    var node = document.createElement(tag);
    if (kind) { node.className = kind; }
    if (text !== undefined) { node.textContent = text; }
    return node;
  }
  function say(text) { $('problem').textContent = text; }
  function slot() { return 'posh-lite-preference:' + study.study + ':' + rater; }

  // -- what is kept ------------------------------------------------------------------------------------
  function stored() {
    try {
      var kept = JSON.parse(localStorage.getItem(slot()));
      return kept && typeof kept.answers === 'object' && kept.answers ? kept : null;
    } catch (error) { return null; }
  }
  function merge(other) {  // the later answer to a trial counts, whichever tab or file it comes from
    ['answers', 'drafts'].forEach(function (part) {
      Object.keys((other && other[part]) || {}).forEach(function (code) {
        var mine = state[part][code], theirs = other[part][code];
        if (theirs && (!mine || String(theirs.at) > String(mine.at))) { state[part][code] = theirs; }
      });
    });
  }
  function keep() {
    merge(stored());
    try { localStorage.setItem(slot(), JSON.stringify(state)); keeps = true; } catch (error) { keeps = false; }
    $('unkept').hidden = keeps;
  }
  function done() {
    return trials.filter(function (t) { return state.answers[t.code]; }).length;
  }
  function download() {
    var rows = trials.filter(function (t) { return state.answers[t.code]; }).map(function (t) {
      var a = state.answers[t.code];
      return {trial: t.code, places: a.places, reason: a.reason || '', seconds: a.seconds, at: a.at};
    });
    var all = {format: FORMAT, study: study.study, rater: rater, made: new Date().toISOString(), answers: rows};
    var link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(all, null, 1) + '\n'], {type: 'application/json'}));
    link.download = 'answers-' + study.study + '-' + rater.replace(/[^\w.-]/g, '_') + '.json';
    document.body.appendChild(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 10000);
    saved = true;
    var note = rows.length + ' of ' + trials.length + ' answers were put into ' + link.download + '.';
    $('where-saved').textContent = note;
    $('said').textContent = note;
  }

  // -- one trial ---------------------------------------------------------------------------------------
  function radio(box, name, value, text) {
    var label = make('label', 'pick'), input = make('input');
    input.type = 'radio';
    input.name = name;
    input.value = value;
    label.appendChild(input);
    label.appendChild(make('span', '', text));
    box.appendChild(label);
  }
  function card(item, which, position) {
    var box = make('article', 'card'), letter = LETTERS[position];
    box.setAttribute('aria-labelledby', 'name-' + position);
    var name = make('h2', '', 'Description ' + letter);
    name.id = 'name-' + position;
    var text = make('p', 'text', item.captions[which]);
    text.dir = 'auto';
    box.appendChild(name);
    box.appendChild(text);
    if (study.task === 'choose') {
      radio(box, 'choice', String(position), letter + ' is ' + (item.captions.length > 2 ? 'best' : 'better'));
    } else {
      var group = make('fieldset'), places = make('div', 'places');
      group.appendChild(make('legend', '', 'Place of ' + letter));
      item.captions.forEach(function (_, place) { radio(places, 'place-' + position, String(place + 1), PLACES[place]); });
      group.appendChild(places);
      box.appendChild(group);
    }
    return box;
  }
  function inputs() { return Array.from($('trial').querySelectorAll('input[type=radio]')); }
  function draft() {
    var t = trials[at], before = state.drafts[t.code] || {seconds: 0}, now = performance.now();
    var picked = {};
    inputs().forEach(function (i) { if (i.checked) { picked[i.name] = i.value; } });
    state.drafts[t.code] = {picked: picked, reason: $('reason').value, at: new Date().toISOString(),
      seconds: before.seconds + (since ? Math.max(0, now - since) / 1000 : 0)};
    since = document.hidden ? 0 : now;
    return state.drafts[t.code];
  }
  function places(picked, n) {  // places from 1 by position, or a sentence that says what is missing
    var i, out = [];
    if (study.task === 'choose') {
      if (picked.choice === undefined) { return 'Please choose one of the answers.'; }
      for (i = 0; i < n; i += 1) { out.push(picked.choice === 'tie' || picked.choice === String(i) ? 1 : 2); }
      return out;
    }
    for (i = 0; i < n; i += 1) {
      if (!picked['place-' + i]) { return 'Description ' + LETTERS[i] + ' has no place yet.'; }
      out.push(Number(picked['place-' + i]));
    }
    if (!study.ties && new Set(out).size < n) { return 'Two descriptions have the same place; please tell them apart.'; }
    var ranks = Array.from(new Set(out)).sort();  // places that are shared leave no gap
    return out.map(function (p) { return ranks.indexOf(p) + 1; });
  }
  function show() {
    var t = trials[at], item = study.items[t.item], kept = state.drafts[t.code] || {picked: {}, reason: ''};
    $('captions').replaceChildren();
    t.order.forEach(function (which, position) { $('captions').appendChild(card(item, which, position)); });
    $('tie').replaceChildren();
    if (study.task === 'choose' && study.ties) { radio($('tie'), 'choice', 'tie', 'No difference'); }
    $('picture').hidden = !item.picture;
    if (item.picture) { $('image').src = item.picture; } else { $('image').removeAttribute('src'); }
    $('reference').hidden = !item.reference;
    $('reference-text').textContent = item.reference || '';
    $('reason').value = kept.reason || '';
    inputs().forEach(function (i) { i.checked = kept.picked && kept.picked[i.name] === i.value; });
    $('start').hidden = true;
    $('end').hidden = true;
    $('trial').hidden = false;
    $('back').disabled = at === 0;
    say('');
    progress();
    since = performance.now();
    scrollTo(0, 0);
    $('question').focus({preventScroll: true});
  }
  function progress() {
    $('progress').max = trials.length;
    $('progress').value = done();
    $('where').textContent = 'Comparison ' + (at + 1) + ' of ' + trials.length + ', ' + done() + ' answered';
  }
  function finish() {
    since = 0;
    $('trial').hidden = true;
    $('end').hidden = false;
    var open = trials.length - done();
    $('thanks').textContent = open ? open + ' of ' + trials.length + ' comparisons are still open' : 'Thank you';
    $('finish-open').hidden = !open;
    $('thanks').focus();
  }
  function next() {
    var t = trials[at], made = draft(), found = places(made.picked, t.order.length);
    if (typeof found === 'string') { keep(); say(found); return; }
    var before = state.answers[t.code];
    if (!before || before.places.join() !== found.join() || (before.reason || '') !== made.reason) {
      state.answers[t.code] = {places: found, reason: made.reason, at: made.at,
        seconds: Math.round(made.seconds * 10) / 10};
      saved = false;
    }
    keep();
    if (at + 1 < trials.length) { at += 1; show(); } else { finish(); }
  }
  function firstOpen() {
    for (var i = 0; i < trials.length; i += 1) { if (!state.answers[trials[i].code]) { return i; } }
    return trials.length;
  }
  function go() {
    at = firstOpen();
    if (at < trials.length) { show(); } else { at = trials.length - 1; $('start').hidden = true; finish(); }
  }

  // -- beginning ---------------------------------------------------------------------------------------
  function begin(name) {
    rater = name;
    trials = study.trials[rater];
    state = {answers: {}, drafts: {}};
    keep();
    go();
  }
  function load(file) {
    file.text().then(function (text) {
      var all = JSON.parse(text);
      if (all.format !== FORMAT) { throw new Error('it holds no answers of such a page'); }
      if (all.study !== study.study) { throw new Error('it belongs to the study ' + all.study); }
      if (!Object.hasOwn(study.trials, all.rater)) { throw new Error('this study has no rater ' + all.rater); }
      rater = all.rater;
      trials = study.trials[rater];
      state = {answers: {}, drafts: {}};
      all.answers.forEach(function (a) {
        var t = trials.find(function (x) { return x.code === a.trial; });
        if (!t || a.places.length !== t.order.length) { throw new Error('comparison ' + a.trial + ' does not fit'); }
        var picked = {};
        if (study.task === 'rank') {
          a.places.forEach(function (p, i) { picked['place-' + i] = String(p); });
        } else {
          var firsts = a.places.filter(function (p) { return p === 1; }).length;
          picked.choice = firsts > 1 ? 'tie' : String(a.places.indexOf(1));
        }
        state.answers[a.trial] = {places: a.places, reason: a.reason, seconds: a.seconds, at: a.at};
        state.drafts[a.trial] = {picked: picked, reason: a.reason, seconds: a.seconds, at: a.at};
      });
      keep();
      go();
    }).catch(function (error) {
      $('start-problem').textContent = 'The file ' + file.name + ' cannot be used: ' + error.message + '.';
    });
  }

  document.title = study.question;
  $('title').textContent = study.question;
  $('question').textContent = study.question;
  $('reason-field').hidden = !study.reasons;
  $('picture-note').hidden = !study.items.some(function (i) { return i.picture; });
  Object.keys(study.trials).forEach(function (name) {
    var option = make('option', '', name);
    option.value = name;
    $('rater').appendChild(option);
  });
  var wanted = location.hash.slice(1);
  try { wanted = decodeURIComponent(wanted); } catch (error) { /* a lone per cent sign: no code has one */ }
  if (Object.hasOwn(study.trials, wanted)) { $('rater').value = wanted; }
  $('n').textContent = Object.values(study.trials)[0].length;
  $('task').textContent = study.task === 'choose'
    ? 'Read the descriptions that stand side by side, and choose one'
      + (study.ties ? ', or say that there is no difference.' : '. Where it is close, choose all the same.')
    : 'Read the descriptions that stand side by side, and give each a place'
      + (study.ties ? '; two may share one.' : ', every place once.');

  $('go').addEventListener('click', function () {
    if (!$('rater').value) { $('start-problem').textContent = 'Please choose your code first.'; return; }
    begin($('rater').value);
  });
  $('resume').addEventListener('change', function () { if (this.files[0]) { load(this.files[0]); } });
  $('trial').addEventListener('submit', function (event) { event.preventDefault(); next(); });
  $('trial').addEventListener('input', function () { draft(); keep(); say(''); });
  $('back').addEventListener('click', function () { draft(); keep(); at -= 1; show(); });
  $('end-back').addEventListener('click', function () { show(); });
  $('finish-open').addEventListener('click', go);
  $('save').addEventListener('click', download);
  $('download').addEventListener('click', download);
  document.addEventListener('visibilitychange', function () {
    if (rater === null || $('trial').hidden) { return; }
    if (document.hidden) { draft(); keep(); since = 0; } else { since = performance.now(); }
  });
  addEventListener('beforeunload', function (event) {
    if (rater !== null && !$('trial').hidden) { draft(); keep(); }
    if (!keeps && !saved) { event.preventDefault(); }
  });
}());
