// A socket that comes back. Knows connections; knows nothing of games.

const PING_MS = 3000;
const SILENCE_MS = 9000;
const ASLEEP_MS = 5000; // a tick this late: the tab was suspended, not the connection lost
const WAKING_MS = 4000; // how long an answer may take then
const STEADY_MS = 10_000;
const BACKOFF_MS = [300, 1000, 2000, 4000, 8000];

/**
 * Keep a connection to `path` open.
 *
 * `onMessage(data)`: a parsed object, or an ArrayBuffer; pongs are left out.
 * `onStatus(status)`: connecting, online, reconnecting or offline.
 * `onClosed(code)`: the server closed it for good (4000 and up).
 * `onFresh()`: a connection was opened; whatever the last one said is void.
 */
export function keepConnected(path, { onMessage, onStatus, onClosed, onFresh }) {
  const address = new URL(path, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  let socket = null;
  let status = "";
  let heardAt = 0;
  let tickAt = performance.now();
  let failures = 0;
  let welcomed = false;
  let everWelcomed = false;
  let welcomedAt = 0;
  let stopped = false;
  let retry = 0;

  function tell() {
    if (stopped) return;
    const lost = everWelcomed || failures > 1;
    const now = !navigator.onLine ? "offline" : welcomed ? "online" : lost ? "reconnecting" : "connecting";
    if (now !== status) onStatus((status = now));
  }

  function open() {
    clearTimeout(retry);
    if (stopped) return;
    leave();
    const mine = (socket = new WebSocket(address));
    mine.binaryType = "arraybuffer";
    heardAt = performance.now();
    onFresh();
    mine.onmessage = ({ data }) => {
      if (mine !== socket) return;
      heardAt = performance.now();
      const message = typeof data === "string" ? JSON.parse(data) : data;
      if (!welcomed && (message.type === "welcome" || message.type === "ended")) {
        welcomed = everWelcomed = true;
        welcomedAt = heardAt;
        tell();
      }
      if (message.type !== "pong") onMessage(message);
    };
    mine.onclose = ({ code }) => {
      if (mine !== socket) return;
      if (code >= 4000) {
        stop();
        onClosed(code);
      } else {
        again();
      }
    };
  }

  function leave() {
    const old = socket;
    socket = null;
    welcomed = false;
    if (old) {
      old.onmessage = old.onclose = null;
      old.close();
    }
  }

  /** Drop the connection and make a new one, soon. */
  function again() {
    // A server that lets everyone in and out again at once must not be stormed: only a connection that lasted counts.
    if (welcomed && performance.now() - welcomedAt > STEADY_MS) failures = 0;
    leave();
    tell();
    const wait = BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)];
    clearTimeout(retry);
    retry = setTimeout(open, wait * (0.5 + Math.random() / 2));
  }

  function send(message) {
    if (!welcomed) return false;
    return transmit(message);
  }

  function transmit(message) {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  function tick() {
    const now = performance.now();
    // Nobody listened meanwhile, so the silence proves nothing yet.
    if (now - tickAt > PING_MS + ASLEEP_MS) heardAt = Math.max(heardAt, now - SILENCE_MS + WAKING_MS);
    tickAt = now;
    if (!socket) return;
    if (now - heardAt > SILENCE_MS) again();
    else transmit({ type: "ping" });
  }

  function awake() {
    if (document.visibilityState !== "visible") return;
    tick();
    if (!socket) open();
  }

  function online() {
    tell();
    if (welcomed) send({ type: "ping" });
    else open();
  }

  function stop() {
    stopped = true;
    clearInterval(ticker);
    clearTimeout(retry);
    document.removeEventListener("visibilitychange", awake);
    removeEventListener("online", online);
    removeEventListener("offline", tell);
    leave();
  }

  const ticker = setInterval(tick, PING_MS);
  document.addEventListener("visibilitychange", awake);
  addEventListener("online", online);
  addEventListener("offline", tell);
  tell();
  open();
  return { send, again, stop };
}
