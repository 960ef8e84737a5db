// @ts-check
// Progressive enhancement: except for passkeys every page works without this script.

/** @param {Element} root @param {string} message */
function showMessage(root, message) {
  const alert = root.querySelector(":scope > [role=alert]");
  if (alert instanceof HTMLElement) {
    alert.textContent = message;
    alert.hidden = message === "";
  }
}

/** @param {string} path @param {unknown} body */
async function postJson(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const result = await response.json().catch(() => ({ error: "The request failed. Try again in a moment." }));
  if (!response.ok) {
    throw new Error(result.error);
  }
  return result;
}

/** @param {Element} root @param {() => Promise<void>} ceremony */
async function runCeremony(root, ceremony) {
  showMessage(root, "");
  try {
    await ceremony();
  } catch (error) {
    const cancelled = error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name);
    showMessage(
      root,
      cancelled
        ? "The passkey prompt was cancelled or timed out. Try again."
        : String(error instanceof Error ? error.message : error),
    );
  }
}

const zoneSelect = document.querySelector("[data-detect-time-zone]");
if (zoneSelect instanceof HTMLSelectElement) {
  const detected = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (![...zoneSelect.options].some((option) => option.value === detected)) {
    zoneSelect.add(new Option(detected));
  }
  zoneSelect.value = detected;
}

for (const container of document.querySelectorAll("[data-copy]")) {
  const button = container.querySelector("button");
  const code = container.querySelector("code");
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

const supportsPasskeys =
  typeof PublicKeyCredential === "function" &&
  "parseCreationOptionsFromJSON" in PublicKeyCredential &&
  "parseRequestOptionsFromJSON" in PublicKeyCredential;

const passkeyForm = document.querySelector("[data-passkey-add]");
if (passkeyForm instanceof HTMLFormElement && supportsPasskeys) {
  const button = passkeyForm.querySelector(":scope > button");
  if (button instanceof HTMLElement) {
    button.hidden = false;
  }
  passkeyForm.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new FormData(passkeyForm);
    void runCeremony(passkeyForm, async () => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        await postJson("/dashboard/passkeys/options", { current_password: fields.get("current_password") ?? "" }),
      );
      const credential = await navigator.credentials.create({ publicKey });
      const name = fields.get("passkey_name");
      const { location: next } = await postJson("/dashboard/passkeys", { response: credential, name });
      location.assign(next);
    });
  });
}

const passkeySignIn = document.querySelector("[data-passkey-sign-in]");
if (passkeySignIn instanceof HTMLElement && supportsPasskeys) {
  passkeySignIn.hidden = false;
  passkeySignIn.querySelector("button")?.addEventListener("click", () => {
    void runCeremony(passkeySignIn, async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await postJson("/login/passkey/options", {}));
      const credential = await navigator.credentials.get({ publicKey });
      const { location: next } = await postJson("/login/passkey", {
        response: credential,
        next: passkeySignIn.dataset["next"],
      });
      location.assign(next);
    });
  });
}

for (const container of document.querySelectorAll("[data-passkey-confirm]")) {
  if (container instanceof HTMLElement && supportsPasskeys) {
    container.hidden = false;
    container.querySelector("button")?.addEventListener("click", () => {
      void runCeremony(container, async () => {
        const options = await postJson("/dashboard/passkeys/confirm/options", {});
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
        const credential = await navigator.credentials.get({ publicKey });
        await postJson("/dashboard/passkeys/confirm", { response: credential });
        // One proof of identity by passkey is enough for every form of the page.
        for (const fields of document.querySelectorAll("[data-reauthentication]")) {
          const message = document.createElement("p");
          message.className = "hint";
          message.setAttribute("role", "status");
          message.textContent = "Confirmed with your passkey.";
          fields.replaceChildren(message);
        }
      });
    });
  }
}

// Close an open menu if the focus or a click goes elsewhere, and with Escape.
for (const menu of document.querySelectorAll("details[data-menu]")) {
  if (menu instanceof HTMLDetailsElement) {
    const closeUnlessInside = (/** @type {Event} */ event) => {
      if (!(event.target instanceof Node && menu.contains(event.target))) {
        menu.open = false;
      }
    };
    document.addEventListener("click", closeUnlessInside);
    document.addEventListener("focusin", closeUnlessInside);
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.open) {
        menu.open = false;
        menu.querySelector("summary")?.focus();
      }
    });
  }
}
