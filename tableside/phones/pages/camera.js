// A phone's camera: takes a frame when the table wants one, of light that came after it was asked.
import { deviceState, keepAwake, letSleep } from "/device.js";
import { element, say } from "/texts.js";

const UNKNOWN_AGE_MS = 500;  // A frame whose time of capture the browser does not tell counts as exposed so long before it came.
const QUALITY = 0.92;
const STATE_MS = 10000;
const HUNG = "twinwall-hung";
const angle = () => screen.orientation?.angle ?? 0;

export class Camera {
  constructor(joined, send, tell, fresh) {
    this.overhead = joined.name === "table";
    this.send = send;
    this.tell = tell;
    this.fresh = fresh;
    this.video = element("picture");
    this.canvas = document.createElement("canvas");
    this.wanted = null;
    this.askedMs = 0;
    this.isOpen = false;
    this.wasOpen = false;
    this.hasEnded = false;
    element("start").onclick = () => this.open();
    element("hide").onclick = () => this.hide();
    element("torch").onclick = () => this.light();
    document.addEventListener("visibilitychange", () => this.shown());
    this.clock = setInterval(() => this.report(), STATE_MS);
    this.worded();
    this.open();
  }

  worded() {
    for (const id of ["start", "hide", "torch"]) element(id).textContent = say(id);
  }

  connected() {
    if (this.isOpen) this.tell(this.selfie ? "selfie" : "seeing", {}, this.selfie);
    this.report();
  }

  disconnected() {
    this.wanted = null;
  }

  end() {
    this.hasEnded = true;
    clearInterval(this.clock);
    this.stopLooking();
    this.stop();
    letSleep();
    this.isOpen = false;
    this.video.hidden = element("hide").hidden = element("torch").hidden = element("start").hidden = true;
  }

  stop() {
    this.stream?.getTracks().forEach((track) => track.stop());
  }

  async open() {
    if (!navigator.mediaDevices?.getUserMedia) return this.tell(isSecureContext ? "too-old" : "not-secure", {}, true);
    if (!("requestVideoFrameCallback" in HTMLVideoElement.prototype)) return this.tell("too-old", {}, true);
    const size = this.overhead ? { width: { ideal: 1920 }, height: { ideal: 1080 } } : { width: { ideal: 1280 }, height: { ideal: 720 } };
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { facingMode: { ideal: "environment" }, frameRate: { ideal: 30 }, ...size },
      });
    } catch (problem) {
      if (this.hasEnded) return;
      element("start").hidden = false;
      return this.tell(problem.name === "NotAllowedError" ? "not-allowed" : problem.name === "NotFoundError" ? "no-camera" : "camera-busy", {}, true);
    }
    if (this.hasEnded) return this.stop();
    this.track?.stop();
    element("start").hidden = true;
    this.track = this.stream.getVideoTracks()[0];
    this.track.onended = () => this.lost();
    this.selfie = this.track.getSettings().facingMode === "user";
    this.video.srcObject = this.stream;
    this.video.hidden = element("hide").hidden = !this.fresh;
    element("torch").hidden = !this.track.getCapabilities?.().torch;
    // A phone that saves power plays nothing before it was touched.
    if (!(await this.video.play().then(() => true, () => false))) {
      if (this.hasEnded) return;
      element("start").hidden = false;
      return this.tell("paused", {}, true);
    }
    await this.hold();
    if (this.hasEnded) return;
    this.isOpen = this.wasOpen = true;
    const { videoWidth, videoHeight } = this.video;
    if (this.fresh || !localStorage.getItem(HUNG)) localStorage.setItem(HUNG, JSON.stringify({ isWide: videoWidth > videoHeight, angle: angle() }));
    keepAwake();
    this.tell(this.selfie ? "selfie" : "seeing", {}, this.selfie);
    this.report();
    this.look();
  }

  // Exposure, focus and white balance stay as they are once the picture has settled, where the browser lets them be held.
  async hold() {
    const can = this.track.getCapabilities?.() ?? {};
    await new Promise((settled) => setTimeout(settled, 1500));
    for (const mode of ["exposureMode", "focusMode", "whiteBalanceMode"]) {
      if (can[mode]?.includes("manual")) await this.track.applyConstraints({ advanced: [{ [mode]: "manual" }] }).catch(() => {});
    }
    if (this.lit) await this.light(true);  // A camera that is opened again begins without its torch.
  }

  async light(lit = !this.lit) {
    this.lit = lit;
    await this.track.applyConstraints({ advanced: [{ torch: lit }] }).catch(() => (this.lit = false));
  }

  hide() {
    this.fresh = false;
    this.video.hidden = element("hide").hidden = element("words").hidden = true;
  }

  stopLooking() {
    this.video.cancelVideoFrameCallback(this.looking);
  }

  lost() {
    if (this.hasEnded) return;
    this.isOpen = false;
    this.stopLooking();  // No picture that the browser still shows is given for one of now.
    element("start").hidden = false;
    this.tell("camera-busy", {}, true);
  }

  shown() {
    if (this.hasEnded) return;
    if (document.visibilityState === "visible" && this.isOpen) {
      if (this.video.paused) this.video.play().catch(() => {});
    } else if (document.visibilityState === "visible" && this.wasOpen) this.open();  // The phone ended its camera while it slept.
    this.report();
  }

  take(message) {
    if (message.type !== "wanted") return;
    this.wanted = message;
    this.askedMs = performance.now();
  }

  look() {
    this.stopLooking();  // A camera that is opened again has one look under way, not another for each time it ended.
    this.looking = this.video.requestVideoFrameCallback((now, frame) => {
      const exposedMs = frame.captureTime ?? now - UNKNOWN_AGE_MS;
      if (this.wanted && exposedMs > this.askedMs) this.answer();
      if (this.isOpen) this.look();
    });
  }

  // A phone that lies flat turns its picture when it takes itself for upright or not: the table gets it as it was when the phone was hung.
  // By so many quarters the picture is turned back. Only the angle tells of a half: the picture is as wide as before.
  turned() {
    const { isWide, angle: hung } = JSON.parse(localStorage.getItem(HUNG)), since = (angle() - hung + 360) % 360;
    if (this.video.videoWidth > this.video.videoHeight === isWide) return since === 180 ? 2 : 0;
    return since === 270 ? 3 : 1;
  }

  answer() {
    const { number, part } = this.wanted;
    this.wanted = null;
    const { videoWidth, videoHeight } = this.video, turned = this.turned();
    const [wholeWidth, wholeHeight] = turned % 2 ? [videoHeight, videoWidth] : [videoWidth, videoHeight];
    const [left, top, width, height] = part ?? [0, 0, wholeWidth, wholeHeight];
    const cut = left + width <= wholeWidth && top + height <= wholeHeight ? { left, top, width, height } : { left: 0, top: 0, width: wholeWidth, height: wholeHeight };
    this.canvas.width = cut.width;
    this.canvas.height = cut.height;
    const brush = this.canvas.getContext("2d");
    brush.translate(-cut.left, -cut.top);
    const [cos, sin] = [[1, 0], [0, 1], [-1, 0], [0, -1]][turned];
    brush.transform(cos, sin, -sin, cos, turned === 1 || turned === 2 ? wholeWidth : 0, turned > 1 ? wholeHeight : 0);
    brush.drawImage(this.video, 0, 0);
    const isWhole = cut.width === wholeWidth && cut.height === wholeHeight;
    const head = new TextEncoder().encode(JSON.stringify({ number, part: isWhole ? null : [cut.left, cut.top, cut.width, cut.height] }));
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, head.length);
    this.canvas.toBlob(async (picture) => picture && this.send(await new Blob([length, head, picture]).arrayBuffer()), "image/jpeg", QUALITY);
  }

  async report() {
    const settings = this.track?.getSettings() ?? {};
    this.send(JSON.stringify({
      ...(await deviceState()),
      width: this.video.videoWidth || null,
      height: this.video.videoHeight || null,
      facing: settings.facingMode ?? null,
    }));
  }
}
