// Shows the slides one after the other, each for twelve seconds: F for the full screen, arrows hold a slide, d changes
// between a dim and a lit room. Slides that arrive anew keep the place.
"use strict";
(() => {
  const SHOWN_MS = 12000;
  const HELD_MS = 60000;
  let at = 0;
  let next = Date.now() + SHOWN_MS;

  function show() {
    const slides = [...document.querySelectorAll(".slide")];
    at = ((at % slides.length) + slides.length) % slides.length;
    slides.forEach((slide, index) => slide.classList.toggle("shown", index === at));
  }

  function step(by, forMs) {
    at += by;
    next = Date.now() + forMs;
    show();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") step(1, HELD_MS);
    else if (event.key === "ArrowLeft") step(-1, HELD_MS);
    else if (event.key === "d") document.documentElement.classList.toggle("lit");
    else if (event.key === "f" || event.key === "F") {
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen();
    }
  });
  new MutationObserver(show).observe(document.querySelector("main"), { childList: true });
  const awake = () => navigator.wakeLock?.request("screen").catch(() => {});
  document.addEventListener("visibilitychange", () => document.hidden || awake());
  awake();
  show();
  setInterval(() => Date.now() >= next && step(1, SHOWN_MS), 250);
})();
