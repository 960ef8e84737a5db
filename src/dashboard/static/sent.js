// @ts-check
// What was scheduled, published or saved is nothing unsent any more; the composer keeps the name of what was sent last.
if (/[?&]done=(scheduled|now|saved)\b/.test(location.search)) {
  sessionStorage.removeItem(sessionStorage.getItem("unsent") ?? "");
}
