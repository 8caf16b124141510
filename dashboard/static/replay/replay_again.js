// Play again: the discards of one seat are asked for in turn, and after each answer stands what every table discarded there.
// While it lasts the page shows that seat's hand alone, and nothing of what came later.
"use strict";
const ReplayAgain = (() => {
  const { find, fill, made, wind } = ReplayPanels;

  class Again {
    // `go(at)` shows a moment of the play that is asked about.
    constructor(plays, words, panels, go) {
      this.plays = plays;
      this.words = words;
      this.panels = panels;
      this.go = go;
      this.seat = null;
    }

    get on() {
      return this.seat !== null;
    }

    start(play, seat, at) {
      [this.play, this.seat, this.answered, this.same] = [play, seat, 0, 0];
      this.ask(at);
    }

    leave() {
      this.seat = null;
      delete find("replay").dataset.again;
      find("replay-again").hidden = true;
    }

    // Asks for the seat's next discard from a moment on; after its last one the whole hand is shown.
    ask(at) {
      const steps = this.plays[this.play].steps;
      const found = steps.findIndex((step, index) => index >= at && step.do === "discard" && step.seat === this.seat);
      if (found < 0) return this.end(steps.length);
      this.at = found;
      find("replay").dataset.again = "asked";
      this.go(found);
      const { hand, drawn, river } = this.moment().seats[this.seat];
      const order = (kind) => this.words.order.indexOf(kind);
      const tiles = [...hand].sort((one, other) => order(one) - order(other));
      const choices = (drawn === null ? tiles : [...tiles, drawn]).map((kind) => this.choice(kind));
      const question = made("p", "", wind(this.seat), fill(this.words.again.ask, { turn: river.length + 1 }));
      this.draw(question, made("div", "replay-row choices", ...choices));
      choices[choices.length - 1]?.focus();
    }

    moment() {
      return this.plays[this.play].moments[this.at];
    }

    choice(kind) {
      const button = this.button(null, this.panels.tile(kind));
      button.dataset.discard = kind;
      button.setAttribute("aria-label", this.panels.named(kind));
      return button;
    }

    button(act, ...content) {
      const button = made("button", "", ...content);
      button.type = "button";
      if (act) button.dataset.act = act;
      return button;
    }

    // What every table discarded as the seat's discard of the same number.
    answer(kind) {
      if (!this.on || find("replay").dataset.again !== "asked") return;
      const number = this.moment().seats[this.seat].river.length;
      const done = this.plays.map((play) => play.steps.filter((step) => step.do === "discard" && step.seat === this.seat)[number]?.tile);
      this.answered += 1;
      this.same += done[this.play] === kind ? 1 : 0;
      find("replay").dataset.again = "answered";
      const { again } = this.words;
      const rows = this.plays.map((play, index) => this.told(play, done[index], kind));
      const next = this.button("again-next", again.next);
      const chosen = made("p", "", fill(again.chose, { tile: "" }), this.panels.tile(kind));
      this.draw(chosen, made("ul", "", ...rows), made("p", "quiet", again.note), next);
      next.focus();
    }

    told(play, done, chosen) {
      const { words } = this;
      const row = made("li", "", made("strong", "", fill(words.table, { table: play.table })), " ");
      row.append(...(done ? [this.panels.tile(done)] : [made("span", "quiet", words.again.none)]));
      if (done === chosen) row.append(" ", made("span", "pill green", words.again.same));
      if (play === this.plays[this.play]) row.append(" ", made("span", "quiet", words.again.here));
      return row;
    }

    next() {
      if (this.on && find("replay").dataset.again === "answered") this.ask(this.at + 1);
    }

    end(last) {
      const [count, of] = [this.same, this.answered];
      this.leave();
      this.go(last);
      find("replay-again").hidden = false;
      find("replay-again-body").replaceChildren(made("p", "", fill(this.words.again.over, { count, of })));
    }

    draw(...content) {
      find("replay-again").hidden = false;
      find("replay-again-body").replaceChildren(...content, this.button("again", this.words.again.leave));
    }

    // The keys while it lasts: left and right go from tile to tile, P and Escape leave. Whether the key is dealt with.
    key(pressed) {
      const buttons = [...find("replay-again-body").querySelectorAll("[data-discard]")];
      const here = buttons.indexOf(document.activeElement);
      if (pressed === "ArrowLeft") buttons[Math.max(0, here - 1)]?.focus();
      else if (pressed === "ArrowRight" && here >= 0) buttons[Math.min(buttons.length - 1, here + 1)]?.focus();
      else if (pressed === "ArrowRight") this.next();
      else return false;
      return true;
    }
  }

  return { Again };
})();
