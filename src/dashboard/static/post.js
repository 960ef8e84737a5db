// @ts-check
// A post that is being published shows its progress by itself; without the script a reload does.

const live = document.getElementById("post-live");
const announcer = document.querySelector("[data-announcer]");

function statusWords() {
  return document.getElementById("status")?.textContent ?? "";
}

async function refresh() {
  const isReading = document.hidden || live?.contains(document.activeElement) === true;
  if (live && !isReading) {
    const response = await fetch(location.pathname, { headers: { "x-fragment": "1" } }).catch(() => null);
    // Ignore a redirect, because it leads to the sign-in page.
    if (response?.ok && !response.redirected) {
      const before = statusWords();
      live.innerHTML = await response.text();
      if (announcer && statusWords() !== before) {
        announcer.textContent = statusWords();
        document.querySelector(".notice.success")?.remove();
      }
    }
  }
  scheduleRefresh();
}

function scheduleRefresh() {
  const seconds = Number(live?.querySelector("[data-refresh]")?.getAttribute("data-refresh"));
  if (seconds > 0) {
    setTimeout(() => void refresh(), seconds * 1000);
  }
}

scheduleRefresh();
