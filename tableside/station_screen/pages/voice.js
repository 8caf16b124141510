// What the screen lets people hear: a tone, a place in words or in tones, or nothing.
//
// Whoever sees a tile and hears its place knows the wall. So places are heard only in the mode "voice", which a person chooses
// for headphones; it is never kept, and ends when a headphone or loudspeaker comes or goes. Only voices of this device speak: others
// send the words to a server.
const KEPT_MODE = "station-sound", KEPT_VOLUME = "station-volume";
const RATE = 1.2, PAUSE_MS = 60, LOUDEST = 0.3;
export const MODES = ["tones", "voice", "off"];

export class Voice {
  // changed is called when the mode changes by itself.
  constructor(changed) {
    this.mode = localStorage.getItem(KEPT_MODE) === "off" ? "off" : "tones";
    this.volume = Number(localStorage.getItem(KEPT_VOLUME) ?? 0.5);
    this.sound = null;
    document.addEventListener("pointerdown", () => this.wake());
    navigator.mediaDevices?.addEventListener?.("devicechange", () => {
      if (this.mode !== "voice") return;
      this.choose("tones");
      changed();
    });
  }

  // A browser lets a page sound only after a touch.
  wake() {
    this.sound ??= new AudioContext();
    if (this.sound.state === "suspended") this.sound.resume();
  }

  choose(mode) {
    this.mode = mode;
    globalThis.speechSynthesis?.cancel();
    if (mode !== "voice") localStorage.setItem(KEPT_MODE, mode);
  }

  turn(volume) {
    this.volume = volume;
    localStorage.setItem(KEPT_VOLUME, volume);
  }

  // tone is heard where no place may be, or where there is nothing to say; words in the language, or else the place's tones.
  tell({ tone, words, tones }, language) {
    if (this.mode === "off") return;
    if (this.mode === "tones") return this.play([tone]);
    if (!words) return;
    const voice = this.voiceFor(language);
    if (voice) this.speak(words, voice);
    else this.play(tones ?? [tone]);
  }

  voiceFor(language) {
    const prefix = language.slice(0, 2);
    const own = (globalThis.speechSynthesis?.getVoices() ?? []).filter((voice) => voice.localService);
    return own.find((voice) => voice.lang.toLowerCase().replace("_", "-") === { en: "en-gb", ja: "ja-jp", zh: "zh-cn" }[prefix])
      ?? own.find((voice) => voice.lang.toLowerCase().startsWith(prefix));
  }

  speak(words, voice) {
    const said = new SpeechSynthesisUtterance(words);
    Object.assign(said, { voice, lang: voice.lang, rate: RATE, volume: this.volume });
    // Of two people who build by turns, one hears his place to its end before the other's; more than one that waits is too old.
    if (speechSynthesis.pending) speechSynthesis.cancel();
    speechSynthesis.speak(said);
  }

  // tones as [frequency in Hz, length in ms], the frequency 0 is a pause.
  play(tones) {
    if (!this.sound) return;
    this.playing?.disconnect();
    const level = this.playing = this.sound.createGain();
    level.gain.value = LOUDEST * this.volume;
    level.connect(this.sound.destination);
    let beginS = this.sound.currentTime;
    for (const [hz, ms] of tones) {
      if (hz) {
        const tone = this.sound.createOscillator();
        tone.frequency.value = hz;
        tone.connect(level);
        tone.start(beginS);
        tone.stop(beginS + ms / 1000);
      }
      beginS += (ms + PAUSE_MS) / 1000;
    }
  }
}
