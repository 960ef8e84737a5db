// @ts-check
// Sends the files of every [data-upload] element: several at once, with progress, resumable in parts.

/**
 * One request, repeated while the connection or the service fails.
 * @param {AbortSignal} signal @param {string} method @param {string} url @param {any} [body] @param {any} [onProgress]
 * @returns {Promise<any>}
 */
async function send(signal, method, url, body, onProgress) {
  for (let attempt = 0; ; attempt += 1) {
    const request = new XMLHttpRequest();
    await new Promise((resolve) => {
      request.open(method, url);
      request.upload.addEventListener("progress", onProgress);
      request.addEventListener("loadend", resolve);
      signal.addEventListener("abort", () => request.abort());
      request.send(body);
    });
    signal.throwIfAborted();
    const { status } = request;
    if (status === 200) {
      return JSON.parse(request.responseText);
    }
    const isRefused = status > 0 && status < 500 && ![408, 409, 429].includes(status);
    if (isRefused || attempt === 5) {
      const { error } = isRefused ? JSON.parse(request.responseText) : {};
      // The error's name tells whether another try can help.
      const name = isRefused ? "refused" : "lost";
      throw Object.assign(new Error(error?.message ?? error ?? "the connection was lost"), { name });
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
  }
}

/** @param {File} file @param {string} key @param {AbortSignal} signal @param {any} view @returns {Promise<any>} */
async function upload(file, key, signal, view) {
  const missingParts = async () => (await send(signal, "GET", started.upload.complete_url)).upload.missing_parts;
  const put = (/** @type {any} */ { url, size_bytes: size = file.size }, start = 0) =>
    send(signal, "PUT", url, file.slice(start, start + size, file.type), (/** @type {any} */ { loaded }) =>
      view.show(start + loaded),
    );
  let started = JSON.parse(localStorage.getItem(key) ?? "null");
  // An upload that has ended or expired cannot continue, so begin a new one.
  if (!(started && (await missingParts().catch(() => []))[0])) {
    const { name: filename, type: content_type, size: size_bytes } = file;
    const body = JSON.stringify({ filename, content_type, size_bytes });
    started = await send(signal, "POST", "/dashboard/media/uploads", body);
  }
  const { parts, complete_url: completeUrl, cancel_url: cancelUrl } = started.upload;
  view.cancelUrl = cancelUrl;
  if (!parts) {
    return put(started.upload);
  }
  localStorage.setItem(key, JSON.stringify(started));
  let failure;
  for (let last, [next] = await missingParts(); next; [next] = await missingParts()) {
    // A part may have arrived although its request failed. If the part is still missing, the failure counts.
    if (next === last) {
      throw failure;
    }
    last = next;
    await put(parts[next - 1], (next - 1) * parts[0].size_bytes).catch((error) => (failure = error));
  }
  const result = await send(signal, "POST", completeUrl);
  localStorage.removeItem(key);
  return result;
}

/** @param {any} root */
function enhance(root) {
  const make = (/** @type {string} */ tag, properties = {}) => Object.assign(document.createElement(tag), properties);
  const input =
    root.querySelector("input") ??
    root.appendChild(make("input", { type: "file", multiple: true, ariaLabel: "Upload images and videos" }));
  /**
   * The composer's form, in which each file of the post has its position before it is uploaded. Null outside the
   * composer.
   */
  const form = root.dataset.into ? null : root.closest("[data-composer]");
  const list = make("ul", { className: "uploads" });
  const status = make("p", { className: "hint", role: "status" });
  /** @type {Set<any>} */
  const waiting = new Set();
  let running = 0;
  /** The files that were uploaded since the last time without a running upload. @type {string[]} */
  let done = [];
  const runNext = async () => {
    const [work] = waiting;
    if (work && running < 3) {
      waiting.delete(work);
      running += 1;
      await work();
      running -= 1;
      await runNext();
    }
  };
  const tell = (/** @type {any} */ detail = {}) =>
    root.dispatchEvent(new CustomEvent("uploaded", { detail, bubbles: true }));
  const addFile = (/** @type {File} */ file) => {
    const { name, size } = file;
    const key = `upload:${root.dataset.upload}:${name}:${size}:${file.lastModified}`;
    const value = `upload:${size}:${file.lastModified}:${name}`;
    const entry = () => form?.querySelector(`[name="media"][value="${CSS.escape(value)}"]`);
    if (form && !entry()) {
      if (!form.querySelector("#media .media-list")) {
        root.before(make("ol", { className: "media-list" }));
      }
      const place = make("li");
      place.append(make("input", { type: "hidden", name: "media", value }), make("p", { textContent: name }));
      form.querySelector("#media .media-list").append(place);
    }
    const controller = new AbortController();
    const row = make("li");
    const label = make("span");
    const bar = make("progress", { max: size, ariaLabel: name });
    const again = make("button", { type: "button", className: "secondary", textContent: "Try again" });
    const cancel = make("button", { type: "button", className: "secondary" });
    row.append(label, again, cancel, bar);
    list.append(row);
    const end = () => {
      row.remove();
      controller.abort();
      waiting.delete(work);
      localStorage.removeItem(key);
      if (view.cancelUrl) {
        void fetch(view.cancelUrl, { method: "POST" });
      }
    };
    const view = {
      cancelUrl: "",
      show: (/** @type {number} */ bytes) => {
        Object.assign(bar, { value: bytes });
        label.textContent = `${name}: ${bytes < size ? `${Math.floor((100 * bytes) / size)} %` : "checking"}`;
        // Stop if the person has removed the file from the post.
        if (form?.isConnected && !entry()) {
          end();
        }
      },
    };
    const work = async () => {
      try {
        const { media_item: item, document: detail = item } = await upload(file, key, controller.signal, view);
        row.remove();
        done.push(name);
        status.textContent = done[3]
          ? `${done.length} files were uploaded.`
          : `${done.join(", ")} ${done[1] ? "were" : "was"} uploaded.`;
        // Only now: the part of a thread may have been moved meanwhile.
        tell({ ...detail, entry: value, into: root.dataset.into });
      } catch (error) {
        if (row.isConnected) {
          const { name: kind, message } = /** @type {Error} */ (error);
          row.className = "failed";
          label.className = "field-error";
          label.role = "alert";
          label.textContent = `${name}: ${message}`;
          again.hidden = kind === "refused";
          cancel.textContent = "Remove";
          tell();
        }
      }
    };
    const start = () => {
      row.className = label.className = "";
      label.textContent = `${name}: waiting`;
      again.hidden = true;
      cancel.textContent = "Cancel";
      waiting.add(work);
      void runNext();
    };
    again.addEventListener("click", start);
    cancel.addEventListener("click", () => {
      end();
      status.textContent = `The upload of ${name} was cancelled.`;
      input.focus();
      entry()?.closest("li").remove();
      tell();
    });
    start();
  };

  root.append(list, status);
  // Without a name, the file input is not sent again with the form around it.
  input.name = "";
  input.required = false;
  const addFiles = (/** @type {any} */ { files }) => {
    if (!running) {
      done = [];
    }
    for (const file of files) {
      addFile(file);
    }
    if (form && files.length > 0) {
      tell();
    }
  };
  const addChosen = () => {
    addFiles(input);
    input.value = "";
  };
  input.addEventListener("change", addChosen);
  // Files are sent as soon as they are chosen, so the form's button only opens the file choice.
  root.addEventListener("submit", (/** @type {any} */ event) => {
    event.preventDefault();
    input.click();
  });
  // A person can choose files before this script runs, so look for them now.
  addChosen();
  for (const name of ["dragover", "dragleave", "drop"]) {
    root.addEventListener(name, (/** @type {any} */ event) => {
      event.preventDefault();
      root.classList.toggle("dropping", name === "dragover");
      if (name === "drop") {
        addFiles(event.dataTransfer);
      }
    });
  }
  const shown = document.getElementById(root.dataset.uploadRefresh);
  root.addEventListener("uploaded", async (/** @type {any} */ { detail: { url } }) => {
    if (shown && url) {
      const response = await fetch(location.pathname, { headers: { "x-fragment": "1" } });
      shown.innerHTML = await response.text();
    }
  });
}

export function start() {
  for (const element of document.querySelectorAll("[data-upload]:not([data-into])")) {
    enhance(element);
  }
}
start();
// The service renders these checkboxes anew whenever the form changes, so listen on the document.
document.addEventListener("change", (/** @type {any} */ { target }) => {
  const root = target.closest("[data-into]:not(:has(.uploads))");
  if (root) {
    enhance(root);
  }
});
