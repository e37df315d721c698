// Times in words.

/** "20 minutes", "1 minute 30 seconds", "5 seconds". */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [];
  if (whole >= 60) parts.push(plural(Math.floor(whole / 60), "minute"));
  if (whole % 60 || whole < 60) parts.push(plural(whole % 60, "second"));
  return parts.join(" ");
}

/** 1800 as "30:00". */
export function clockFace(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** What is left, said so that it stays true for a while. */
export function timeLeft(seconds) {
  if (seconds > 110) return "Two minutes left";
  if (seconds > 60) return "Less than two minutes left";
  if (seconds > 30) return "Less than one minute left";
  return "Less than 30 seconds left";
}

function plural(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
