// The keys of one place, or of all four on a tablet in the middle of the table, and the table's lamps. No tile is ever shown.
import { deviceState, keepAwake, letSleep } from "/device.js";
import { element, say } from "/texts.js";

const KEYS = ["chow", "pung", "kong", "win", "confirm", "referee", "riichi"];
const TWICE = new Set(["win", "riichi", "referee"]);  // What binds the player is touched twice.
const ARMED_MS = 3000, HEARD_MS = 1000, STATE_MS = 10000;
const SAME_MS = 3000, SILENT_MS = 5000;  // The lamps come twice a second; a connection that brings none for so long is dead.

const newName = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Keys {
  constructor(joined, send, tell, fresh, reconnect) {
    this.send = send;
    this.tell = tell;
    this.reconnect = reconnect;
    this.places = joined.name === "keys" ? [0, 1, 2, 3] : [Number(joined.name.split("-")[1])];
    this.lamps = { turn: [], call: [], window: false, fault: false, buzzer: false, wall: null, keys: KEYS };
    this.waiting = new Map();
    this.unheard = new Map();  // Presses that nobody has answered yet, by place and key: touched again soon, they are the same press.
    this.isHeard = false;
    this.told = null;
    document.body.classList.toggle("tablet", this.places.length > 1);
    element("sides").hidden = false;
    this.worded();
    keepAwake();
    document.addEventListener("visibilitychange", () => this.report());
    this.clocks = [setInterval(() => this.report(), STATE_MS), setInterval(() => this.listen(), HEARD_MS)];
  }

  connected() {
    this.told = { number: 0, text: "" };
    this.toldMs = performance.now();
    this.report();
    this.show();
  }

  disconnected() {
    this.told = null;
    this.isHeard = false;
    this.show();
  }

  listen() {
    if (this.told && performance.now() - this.toldMs > SILENT_MS) this.reconnect();
  }

  end() {
    this.clocks.forEach(clearInterval);
    letSleep();
    element("sides").hidden = true;
  }

  worded() {
    element("sides").replaceChildren(...this.places.map((place) => this.side(place)));
    this.show();
  }

  side(place) {
    const side = document.createElement("section"), lamp = document.createElement("p"), keys = document.createElement("div");
    side.className = "side";
    side.dataset.place = place;
    lamp.className = "lamp";
    lamp.setAttribute("role", "status");
    keys.className = "keys";
    keys.replaceChildren(...KEYS.map((key) => this.button(place, key)));
    side.replaceChildren(lamp, keys);
    return side;
  }

  button(place, key) {
    const button = document.createElement("button");
    button.dataset.key = key;
    button.textContent = say(`key-${key}`);
    button.onclick = () => (TWICE.has(key) && !button.classList.contains("armed") ? this.arm(button, key) : this.press(button, place, key));
    return button;
  }

  arm(button, key) {
    button.classList.add("armed");
    button.textContent = say("touch-again", { key: say(`key-${key}`) });
    setTimeout(() => this.disarm(button, key), ARMED_MS);
  }

  disarm(button, key) {
    button.classList.remove("armed");
    button.textContent = say(`key-${key}`);
  }

  press(button, place, key) {
    this.disarm(button, key);
    const which = `${place} ${key}`;
    const before = this.unheard.get(which), nowMs = performance.now();
    const name = before && nowMs - before.touchedMs < SAME_MS ? before.name : newName();
    this.unheard.set(which, { name, touchedMs: nowMs });
    const again = () => this.tell("press-again", { key: say(`key-${key}`) }, true);
    if (!this.send(JSON.stringify({ type: "pressed", name, key, place, told: this.told?.number ?? 0 }))) return again();
    clearTimeout(this.waiting.get(name)?.timer);
    this.waiting.set(name, { which, again, timer: setTimeout(again, HEARD_MS) });
  }

  answered({ name, good }) {
    const pressed = this.waiting.get(name);
    if (!pressed) return;
    clearTimeout(pressed.timer);
    this.waiting.delete(name);
    this.unheard.delete(pressed.which);
    if (good) this.show();
    else pressed.again();
  }

  take(message) {
    if (message.type === "heard") return this.answered(message);
    if (message.type !== "shown") return;
    const text = JSON.stringify([message.lamps, message.heard]), isNew = text !== this.told?.text;
    this.told = { number: message.number, text };
    this.toldMs = performance.now();
    if (!isNew) return;
    const called = this.places.some((place) => message.lamps.call.includes(place) && !this.lamps.call.includes(place));
    this.lamps = message.lamps;
    this.isHeard = message.heard;
    if (called) navigator.vibrate?.([200, 100, 200]);
    this.show();
  }

  show() {
    this.tell(this.isHeard ? "keys-good" : "keys-asleep", {}, !this.isHeard);
    for (const side of element("sides").children) {
      const place = Number(side.dataset.place), lamp = side.firstChild, { turn, call, window, fault } = this.lamps;
      const state = call.includes(place) ? "call" : turn.includes(place) ? "turn" : window ? "window" : fault ? "fault" : "waiting";
      lamp.className = `lamp ${state}`;
      lamp.textContent = say(`lamp-${state}`);
      for (const button of side.querySelectorAll("button")) {
        button.disabled = !this.isHeard;
        button.hidden = !this.lamps.keys.includes(button.dataset.key);
      }
    }
  }

  async report() {
    this.send(JSON.stringify(await deviceState()));
  }
}
