// The screen of the person who builds the walls: the station's own screen, as the table's server sends it.
import { deviceState, keepAwake, letSleep } from "/device.js";
import { StationScreen } from "/screen.js";
import { texts } from "/screen-texts.js";
import { element, language } from "/texts.js";

const STATE_MS = 10000;

export class Builder {
  constructor(joined, send, tell) {
    this.send = send;
    this.tell = tell;
    this.place = element("screen");
    this.place.hidden = false;
    this.screen = new StationScreen(this.place, texts, language(), (deed, fields) => this.touch(deed, fields));
    this.place.addEventListener("click", () => { element("words").hidden = true; }, { once: true });
    keepAwake();
    document.addEventListener("visibilitychange", () => this.report());
    this.clock = setInterval(() => this.report(), STATE_MS);
  }

  connected() {
    this.tell("builder-good");
    this.report();
  }

  disconnected() {
    this.screen.tell("lost");
  }

  // Nothing of the screen stays on a phone that has this role no more.
  end() {
    clearInterval(this.clock);
    letSleep();
    this.screen.voice.choose("tones");
    this.place.replaceChildren();
    this.place.hidden = true;
  }

  worded() {
    this.screen.speakIn(language());
  }

  take({ type, screen }) {
    if (type !== "screen") return;
    if (screen) this.screen.show(screen);
    else this.screen.tell("lost");
  }

  touch(deed, fields = {}) {
    if (!this.send(JSON.stringify({ type: "touched", deed, ...fields }))) this.tell("again", {}, true);
  }

  async report() {
    this.send(JSON.stringify(await deviceState()));
  }
}
