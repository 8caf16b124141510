// The station's screen: what is to be done for the build now, a picture of its place, and the touches that answer it.
// Who may see it, and from where it comes, is left to the page that holds it.
import { Sentences, WRONG, newTone, placeTones } from "/sentences.js";
import { MODES, Voice } from "/voice.js";
import { wallPicture } from "/wall.js";

const PARTS = `
<div id="now" aria-live="polite"><div id="seat"></div><div id="task"></div><div id="why"></div><div id="wall" hidden></div><img id="request" alt="" hidden></div>
<div id="beside"></div>
<div id="tools"><button class="go" id="ok" accesskey="o"></button><button id="none-left"></button><button id="undo"></button>
<button id="right"></button><span id="placed"></span> <span id="aside"></span></div>
<div id="hearing"><label for="sound" id="sound-label"></label> <select id="sound"></select> <label for="volume" id="volume-label"></label>
<input id="volume" type="range" min="0" max="1" step="0.05"><button id="try"></button><span id="sound-note" role="status"></span></div>
<div id="seats" role="status" hidden></div>
<footer id="start-code" hidden></footer>`;
const PLACED = new Set(["put", "from-aside", "fetch"]);
const EAST = { seat: 0, row: "hand", count: 1 };

export class StationScreen {
  // root gets the screen's parts, texts are those of all languages; touch(deed, fields) sends a touch to the station.
  constructor(root, texts, language, touch) {
    root.innerHTML = PARTS;
    this.root = root;
    this.texts = texts;
    this.touch = touch;
    this.now = null;
    this.only = "rest";
    this.told = "";
    this.missing = 0;
    this.voice = new Voice(() => this.draw());
    for (const [id, deed] of Object.entries({ "none-left": "none-left", undo: "undo", right: "right" })) {
      this.part(id).onclick = () => touch(deed);
    }
    this.part("ok").onclick = () => touch("done", { number: this.now.task.number });
    this.part("sound").onchange = ({ target }) => { this.voice.choose(target.value); this.draw(); };
    this.part("volume").value = this.voice.volume;
    this.part("volume").oninput = ({ target }) => this.voice.turn(Number(target.value));
    this.part("try").onclick = () => this.voice.tell(this.sample(), this.language);
    this.speakIn(language);
  }

  part(id) {
    return this.root.querySelector(`#${id}`);
  }

  speakIn(language) {
    this.language = language;
    this.sentences = new Sentences(this.texts[language]);
    this.part("sound").replaceChildren(...MODES.map((mode) => new Option(this.sentences.say(`sound-${mode}`), mode)));
    for (const [id, key] of Object.entries({ "sound-label": "sound", "volume-label": "volume", try: "try" })) this.put(id, this.sentences.say(key));
    this.draw();
  }

  // What the station says now.
  show(now) {
    [this.now, this.only] = [now, null];
    this.draw();
    this.hear();
  }

  // Nothing but one sentence, by its key; an empty key shows none. That the station does not answer is heard, too.
  tell(key) {
    const isNew = key !== this.only;
    [this.now, this.only] = [null, key];
    this.draw();
    if (isNew && key === "lost") this.voice.tell({ tone: WRONG, words: this.sentences.say(key) }, this.language);
  }

  put(id, text, when = true) {
    this.part(id).textContent = text;
    this.part(id).hidden = !when;
  }

  draw() {
    const { now, sentences } = this;
    const asked = (now?.seats ?? []).map((each) => sentences.asked(each)).filter(Boolean);
    this.put("seats", sentences.say("seat-check", { seats: asked.join(" · ") }), asked.length > 0);
    this.put("start-code", sentences.say("start", { code: now?.start }), Boolean(now?.start));
    const unseen = { unwatched: "unwatched", lost: "walls-lost" }[now?.walls];
    this.put("aside", unseen ? sentences.say(unseen) : "", Boolean(unseen));
    this.put("sound-note", this.voice.mode === "voice" ? sentences.say("sound-note") : "", this.voice.mode === "voice");
    this.part("sound").value = this.voice.mode;
    this.part("request").hidden = !now?.asks;
    if (now?.asks && this.part("request").src !== now.asks.picture) this.part("request").src = now.asks.picture;
    if (!now) return this.bare(this.only && sentences.say(this.only));
    if (now.asks) return this.bare(sentences.say("asks", now.asks));
    if (!now.task) return this.bare(sentences.say("screen-out"));
    if (now.blind) return this.bare(sentences.say("blind"));
    this.drawTask();
  }

  bare(sentence) {
    this.put("seat", "");
    this.put("task", sentence);
    this.put("why", "", false);
    this.part("wall").hidden = true;
    for (const id of ["ok", "none-left", "undo", "right", "placed"]) this.part(id).hidden = true;
    this.part("beside").replaceChildren();
  }

  drawTask() {
    const { now, sentences } = this, { task, misplaced } = now;
    this.put("seat", task.do === "put" && !misplaced ? sentences.seat(task.seat) : "");
    this.put("task", misplaced ? sentences.misplaced(misplaced) : sentences.task(task, now));
    this.put("why", now.why && !misplaced ? sentences.say(`why-${now.why}`) : "", Boolean(now.why && !misplaced));
    this.put("right", sentences.say("right"), Boolean(misplaced));
    this.put("placed", sentences.say("placed", { count: now.placed }));
    this.put("ok", sentences.say("ok"), Boolean(task.number) && task.do !== "fetch");
    this.put("none-left", sentences.say("none-left"), task.do === "show");
    this.put("undo", sentences.say("undo"), now.may_undo);
    this.part("beside").replaceChildren(...now.beside.flatMap((other) => this.besides(other)));
    this.drawWall();
  }

  drawWall() {
    const { task, misplaced, wall } = this.now;
    const lit = misplaced ? misplaced.belongs : PLACED.has(task.do) && task.row ? task : null;
    const wrong = misplaced && misplaced.lies.seat === (lit ?? misplaced.lies).seat ? misplaced.lies : null;
    const marks = [lit && { ...lit, mark: "lit" }, wrong && { ...wrong, mark: "wrong" }].filter(Boolean);
    this.part("wall").hidden = marks.length === 0;
    this.part("wall").replaceChildren(...(marks.length ? [wallPicture(marks, wall)] : []));
  }

  besides(other) {
    const done = this.button(`${this.sentences.task(other, this.now)} ✓`, () => this.touch("done", { number: other.number, missing: this.missing }));
    if (other.do !== "gather") {
      this.missing = 0;
      return [done];
    }
    return [done, this.button(`${this.sentences.say("missing")} (${this.missing})`, () => { this.missing += 1; this.draw(); })];
  }

  button(text, action) {
    const made = document.createElement("button");
    made.textContent = text;
    made.onclick = action;
    return made;
  }

  hear() {
    const { now } = this;
    if (!now?.task) return;
    const telling = JSON.stringify([now.task, now.misplaced, now.blind, now.why]);
    if (telling === this.told) return;
    this.told = telling;
    const tones = now.task.do === "put" && !now.misplaced ? placeTones(now.task) : undefined;
    this.voice.tell({ tone: newTone(now), words: this.sentences.spoken(now), tones }, this.language);
  }

  sample() {
    const words = this.sentences.say("sample", { place: this.sentences.say("speak-hand", { seat: this.sentences.seat(0, "speak-seats"), count: 1 }) });
    return { tone: [880, 120], words, tones: placeTones(EAST) };
  }
}
