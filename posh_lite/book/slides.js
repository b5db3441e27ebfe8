// One slide at a time; the address keeps the place, so that a reload or a link returns to it.
(() => {
  const slides = [...document.querySelectorAll(".slide")];
  const place = document.getElementById("place");
  const back = document.getElementById("back");
  const on = document.getElementById("on");
  const notes = document.getElementById("notes");
  let now = 0;
  function show(k, focus) {
    now = Math.max(0, Math.min(slides.length - 1, k));
    slides.forEach((slide, i) => slide.classList.toggle("now", i === now));
    place.textContent = `Slide ${now + 1} of ${slides.length}`;
    back.disabled = now === 0;
    on.disabled = now === slides.length - 1;
    history.replaceState(null, "", `#s${now + 1}`);
    scrollTo(0, 0);
    if (focus) slides[now].focus({ preventScroll: true });
  }
  function turnNotes() {
    const shown = document.body.classList.toggle("with-notes");
    document.querySelectorAll(".notes").forEach((box) => { box.open = shown; });
    notes.setAttribute("aria-pressed", String(shown));
  }
  const moves = {
    ArrowRight: () => now + 1, PageDown: () => now + 1, ArrowLeft: () => now - 1, PageUp: () => now - 1,
    Home: () => 0, End: () => slides.length - 1,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) {
      event.preventDefault();
      show(moves[event.key](), true);
    } else if (event.key === "n" || event.key === "N") {
      turnNotes();
    }
  });
  back.addEventListener("click", () => show(now - 1));
  on.addEventListener("click", () => show(now + 1));
  notes.addEventListener("click", turnNotes);
  addEventListener("hashchange", () => show(Number(location.hash.slice(2)) - 1 || 0));
  document.body.classList.add("ready");
  show(Number(location.hash.slice(2)) - 1 || 0);
})();
