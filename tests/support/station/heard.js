// What a page lets people hear, written down: window.heard has words that were spoken and tones that were begun, with their times.
(() => {
  window.heard = [];
  window.voices = [];
  class Utterance {
    constructor(text) {
      this.text = text;
    }
  }
  const speech = {
    getVoices: () => window.voices,
    cancel() {},
    speak: ({ text, voice, volume }) => window.heard.push({ words: text, lang: voice.lang, volume, atMs: performance.timeOrigin + performance.now() }),
  };
  Object.defineProperty(window, "speechSynthesis", { value: speech });
  window.SpeechSynthesisUtterance = Utterance;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    window.heard.push({ hz: this.frequency.value, atMs: performance.timeOrigin + performance.now() });
    return start.apply(this, when);
  };
})();
