// @ts-check
// Nothing here is needed: every page works without it. It saves typing, and it speaks to the passkeys of the device.

/** @param {Element} root @param {string} message */
function say(root, message) {
  const place = root.querySelector("[role=alert]");
  if (place instanceof HTMLElement) {
    place.textContent = message;
    place.hidden = message === "";
  }
}

/** @param {string} path @param {unknown} body */
async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({ error: "That did not work. Try again in a moment." }));
  if (!response.ok) {
    throw new Error(answer.error);
  }
  return answer;
}

/** @param {Element} root @param {() => Promise<void>} ceremony */
async function attempt(root, ceremony) {
  say(root, "");
  try {
    await ceremony();
  } catch (error) {
    const cancelled = error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name);
    say(
      root,
      cancelled
        ? "That was cancelled or took too long. Try again."
        : String(error instanceof Error ? error.message : error),
    );
  }
}

const zone = document.querySelector("[data-guess-zone]");
if (zone instanceof HTMLSelectElement) {
  const guess = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zone.options].some((option) => option.value === guess)) {
    zone.add(new Option(guess));
  }
  zone.value = guess;
}

for (const place of document.querySelectorAll("[data-copy]")) {
  const button = place.querySelector("button");
  const code = place.querySelector("code");
  if (button && code && navigator.clipboard) {
    button.hidden = false;
    const copy = async () => {
      await navigator.clipboard.writeText(code.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    };
    button.addEventListener("click", () => void copy());
  }
}

const canPasskey =
  typeof PublicKeyCredential === "function" &&
  "parseCreationOptionsFromJSON" in PublicKeyCredential &&
  "parseRequestOptionsFromJSON" in PublicKeyCredential;

const adding = document.querySelector("[data-passkey-add]");
if (adding instanceof HTMLFormElement && canPasskey) {
  const button = adding.querySelector("button");
  if (button) {
    button.hidden = false;
  }
  adding.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(adding, async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await send("/dashboard/passkeys/options", {}));
      const credential = await navigator.credentials.create({ publicKey });
      const name = new FormData(adding).get("passkey_name");
      const { location: next } = await send("/dashboard/passkeys", { response: credential, name });
      location.assign(next);
    });
  });
}

const signingIn = document.querySelector("[data-passkey-sign-in]");
if (signingIn instanceof HTMLElement && canPasskey) {
  signingIn.hidden = false;
  signingIn.querySelector("button")?.addEventListener("click", () => {
    void attempt(signingIn, async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await send("/login/passkey/options", {}));
      const credential = await navigator.credentials.get({ publicKey });
      const { location: next } = await send("/login/passkey", {
        response: credential,
        next: signingIn.dataset["next"],
      });
      location.assign(next);
    });
  });
}
