// @ts-check
// The composer: a check while somebody types, fields of chosen accounts, order of media, and what is not sent yet survives a reload.

/**
 * The storage key of the text that the preview page belongs to. Each tab has its own `sessionStorage`, so tabs do not
 * overwrite each other.
 */
const CURRENT = "unsent";
const store = sessionStorage;

/** @param {string} selector @param {any} [root] @returns {any} */
const one = (selector, root = document) => root.querySelector(selector);
/** @param {string} selector @param {any} [root] @returns {any[]} */
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/**
 * The id that an element has after a button moved or removed a part of a thread, because a part takes its fields along. Empty if the part
 * was removed.
 * @param {string} id @param {any} intent
 */
function movedId(id, intent) {
  const [, action = "", button = "", account] = /^part_(up|down|remove)\.(\d+)\.(.+)$/.exec(intent) ?? [];
  const [, front = "", owner, place, rest = ""] = /^(.*\.([\da-f-]{36})\.[^.]+\.)(\d+)(.*)$/.exec(id) ?? [];
  if (owner === undefined || owner !== account) {
    return id;
  }
  const [from, index] = [Number(button), Number(place)];
  const to = from + (action === "up" ? -1 : 1);
  if (action === "remove") {
    return index === from ? "" : `${front}${index - Number(index > from)}${rest}`;
  }
  return `${front}${index === from ? to : index === to ? from : index}${rest}`;
}

const stateOf = (/** @type {any} */ { type, checked, value }) => (/checkbox|radio/.test(type) ? checked : value);
const isTwin = (/** @type {any} */ a, /** @type {any} */ b, /** @type {string} */ id) =>
  id ? a.id === id : a.name === b.name && a.value === b.value;

/** @param {string} className @param {string} [text] */
function paragraph(className, text = "") {
  const element = document.createElement("p");
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Changes a live region only if its text differs, because screen readers read every change. @param {any} region @param
 * {string} className @param {string[]} texts @param {Element[]} more
 */
function show(region, className, texts = [], ...more) {
  const parts = [...texts.map((text) => paragraph(className, text)), ...more];
  if (region && region.textContent !== parts.map((part) => part.textContent).join("")) {
    region.replaceChildren(...parts);
  }
}

/** @param {any} form @param {URL | Location} address where the form is a page of its own */
function enhance(form, address) {
  const isRefused = address.pathname.endsWith("/preview");
  // The storage key contains the version of a draft, so that text typed into an older version does not get into a newer
  // one.
  const place = address.pathname + (form.draft_version?.value ?? address.search);
  const key = (isRefused && store.getItem(CURRENT)) || CURRENT + place;
  /**
   * The URLs of uploaded files by the placeholders in the form. An answer that is under way may still contain a
   * placeholder.
   */
  const uploaded = new Map();
  const body = (/** @type {any} */ intent = "update") => {
    const fields = /** @type {any} */ (
      [...new FormData(form)].flatMap(([name, value]) =>
        typeof value === "string" ? [[name, uploaded.get(value) ?? value]] : [],
      )
    );
    const params = new URLSearchParams(fields);
    params.set("intent", intent);
    return params;
  };
  /** The content that the person entered, without values such as which tab is open. */
  const content = () => {
    const fields = body();
    fields.delete("shown");
    return String(fields);
  };
  const initial = content();
  let problems = all('[id$="-error"]', form).map(({ id }) => id.slice(0, -6));
  // Fields that the person has changed, and the accounts to which they belong. After a refusal, also the fields with a
  // problem.
  const touched = new Set(problems);
  let isEdited = isRefused;
  let isKept = true;
  let timer = 0;
  let latest = 0;
  let refreshed = Promise.resolve(false);
  /** The button to press again when the uploads have ended. @type {any} */
  let pressed = null;
  let controller = new AbortController();

  const save = () => {
    if (isKept && form.isConnected && content() !== initial) {
      store.setItem(key, content());
    }
  };

  const showProblems = (/** @type {string} */ field, /** @type {string[]} */ sentences) => {
    const control = byId(field);
    const id = `${field}-error`;
    let box = byId(id);
    if (control && !box) {
      box = document.createElement("div");
      box.id = id;
      const { tagName } = control;
      if (tagName === "FIELDSET") {
        control.append(box);
      } else if (tagName === "LI") {
        control.lastElementChild.append(box);
      } else {
        control.after(box);
      }
    }
    show(box, "field-error", sentences);
    if (control) {
      const folded = control.closest(".account-options");
      if (folded && sentences.length > 0) {
        folded.open = true;
      }
      control.ariaInvalid = sentences.length > 0 || null;
      const others = (control.getAttribute("aria-describedby") ?? "").replace(id, "").trim();
      control.setAttribute("aria-describedby", sentences.length > 0 ? `${others} ${id}` : others);
    }
  };

  /**
   * Whether the person has used one of these fields. Problems of unused fields are not shown yet. @param {string[]}
   * fields
   */
  const isTouched = (...fields) => fields.some((field) => touched.has(field));
  const touch = (/** @type {string} */ name) => {
    const [area, account] = name.split(".");
    touched.add(name).add(account);
    if (/^(media_|library)/.test(name)) {
      touched.add("media");
    }
    // The day has a problem too if the time has passed.
    if (area === "time" && byId("date").value) {
      touched.add("date");
    }
  };

  const showCheck = (/** @type {any} */ { general, fields, warnings, accounts }) => {
    const before = problems;
    problems = Object.keys(fields).filter((field) => {
      const [area = "", account = ""] = field.split(".");
      return area === "account"
        ? isTouched(field) && field === area
        : isTouched(field.replace(/\.\d+$/, ""), area === "part_media" ? account : area);
    });
    for (const field of new Set([...before, ...problems])) {
      showProblems(field, problems.includes(field) ? fields[field] : []);
    }
    const count = problems.length;
    const summary = count ? [`${count} ${count > 1 ? "fields" : "field"} to change first.`] : [];
    show(one('[data-check-result=""]', form), "", isEdited ? [...summary, ...general, ...warnings] : []);
    let closest = "";
    let fullest = -1;
    /** @type {any[]} */
    const ownTexts = [];
    for (const fieldset of all("[data-account]", form)) {
      const id = fieldset.dataset.account;
      const { length = 0, limit = 1, count = "", left = "", parts = [], ...rest } = accounts[id] ?? {};
      const { warnings: hints, likeness_html: html = "" } = rest;
      const result = one("[data-check-result]", fieldset);
      const texts = isTouched("media", "caption", id, `account.${id}`) ? (fields[`account.${id}`] ?? []) : [];
      const obstacles = texts.map((/** @type {string} */ text) => paragraph("field-error", text));
      show(result, "notice info", hints, ...obstacles);
      const wrong = problems.filter((field) => field.split(".")[1] === id).length;
      const state = one("[data-tab-state]", fieldset.parentElement);
      state.textContent = wrong ? `${wrong} ${wrong > 1 ? "problems" : "problem"}` : left;
      const isWrong = wrong > 0 || `account.${id}` in fields || length > limit;
      state.className = `tab-state ${isWrong ? "field-error" : "hint"}`;
      const line = one(".count", fieldset);
      line.textContent = count;
      line.className = `count ${length > limit ? "field-error" : "hint"}`;
      for (const [index, part] of all("[data-part-count]", fieldset).entries()) {
        part.textContent = parts[index]?.count ?? "";
        part.className = `count ${parts[index]?.is_too_long ? "field-error" : "hint"}`;
      }
      const name = all("legend span", fieldset)
        .map((part) => part.textContent)
        .join(" ");
      if (byId(`caption.${id}`).value) {
        const link = document.createElement("a");
        link.href = `#caption.${id}`;
        link.textContent = name;
        ownTexts.push(link, " has its own text. ");
      }
      if (count && length / limit > fullest) {
        fullest = length / limit;
        closest = `Closest to its limit: ${name}, ${count.replace(/ \(.*/, "")}.`;
      }
      const likeness = one("[data-likeness]", fieldset);
      if (likeness.shown !== html) {
        // The service has escaped this HTML.
        likeness.innerHTML = likeness.shown = html;
      }
    }
    one("[data-own-texts]", form).replaceChildren(...ownTexts);
    byId("caption-count").textContent = closest;
    if (fields.fold && !byId("fold")) {
      void refresh(["fieldset:has(#date)"]);
    }
  };

  const check = async () => {
    controller.abort();
    controller = new AbortController();
    const mine = ++latest;
    const request = { method: "POST", body: body(), signal: controller.signal };
    const response = await fetch("/dashboard/posts/check", request).catch(() => null);
    const result = await response?.json().catch(() => null);
    // Ignore a late answer after a newer one, and an answer for a form that a dialog no longer shows.
    if (result && mine === latest && form.isConnected) {
      showCheck(result);
    }
  };

  const checkSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      save();
      void check();
    }, 400);
  };

  /**
   * Replaces parts of the form by what the service renders. One call after the other, so that none undoes another.
   * @param {string[]} selectors @param {any} [intent] @param {boolean} [keepsAccounts]
   */
  const refresh = (selectors, intent, keepsAccounts) =>
    (refreshed = refreshed.then(() => refreshNow(selectors, intent, keepsAccounts)));
  /** @param {string[]} selectors @param {any} intent the fields themselves, or what changes them @param {boolean} [keepsAccounts] */
  const refreshNow = async (selectors, intent, keepsAccounts) => {
    const params = intent instanceof URLSearchParams ? intent : body(intent);
    const before = all("[name]:not([type=file], [type=hidden])", form).map((control) => [control, stateOf(control)]);
    const request = { method: "POST", body: params, headers: { "x-fragment": "1" } };
    const response = await fetch("/dashboard/posts/preview", request).catch(() => null);
    const fresh = new DOMParser().parseFromString((await response?.text().catch(() => "")) ?? "", "text/html");
    if (!form.isConnected || !one("form", fresh)) {
      return false;
    }
    /** @type {any} */
    const { id: focused, selectionStart: start, selectionEnd: end } = document.activeElement ?? document.body;
    for (const selector of selectors) {
      const [current, next] = [one(selector, form), one(selector, fresh)];
      const twinOf = (/** @type {string} */ id) =>
        all("[id]", next).find((element) => element.id === movedId(id, intent));
      if (current && next) {
        // Keep fields that the person is typing into, and uploads that are under way.
        for (const kept of all(`[data-upload]${keepsAccounts ? ", [data-account]" : ""}`, current)) {
          const twin = twinOf(kept.id);
          const { into } = kept.dataset;
          if (twin && into && twin.dataset.into !== into) {
            for (const element of [kept, ...all("*", kept)]) {
              for (const { name, value } of element.attributes) {
                element.setAttribute(name, value.replace(into, twin.dataset.into));
              }
            }
          }
          twin?.replaceWith(kept);
        }
        for (const { id } of all("[data-account]:has(.account-options[open])", current)) {
          one(`#${CSS.escape(id)} .account-options`, next)?.setAttribute("open", "");
        }
        for (const { id } of all("details[open] textarea[id]", current)) {
          twinOf(id)?.closest("details")?.setAttribute("open", "");
        }
        // Restore what the person typed or chose while the service was answering.
        for (const [control, was] of before) {
          const now = stateOf(control);
          const twin =
            now !== was &&
            current.contains(control) &&
            all("[name]", next).find((other) => isTwin(other, control, movedId(control.id, intent)));
          if (twin) {
            twin[typeof now === "boolean" ? "checked" : "value"] = now;
          }
        }
        current.replaceWith(next);
      }
    }
    prepare();
    const same = byId(focused);
    if (same && same !== document.activeElement) {
      same.focus();
      if (typeof start === "number") {
        same.setSelectionRange(start, end);
      }
    }
    isEdited = true;
    checkSoon();
    return true;
  };
  const MEDIA = ["#media", "#accounts-chosen"];

  const entries = () => all("#media .media-list > li", form);

  const move = async (/** @type {number} */ from, /** @type {number} */ to) => {
    const step = Math.sign(to - from);
    for (let index = from; index !== to; index += step) {
      await refresh(MEDIA, `media_${step > 0 ? "down" : "up"}.${index}`);
    }
  };

  function prepare() {
    const caption = byId("caption");
    const ids = caption.getAttribute("aria-describedby").replace(/ ?caption-count/, "");
    caption.setAttribute("aria-describedby", `${ids} caption-count`);
    for (const entry of entries()) {
      entry.draggable = true;
    }
  }

  /** @type {any} */
  let dragged = null;
  const on = (/** @type {string} */ type, /** @type {any} */ listener) =>
    form.addEventListener(type, (/** @type {any} */ event) => listener(event.target, event));
  on("dragstart", (/** @type {any} */ target) => (dragged = target.closest("#media .media-list > li")));
  on("dragover", (/** @type {any} */ target, /** @type {any} */ event) => {
    if (dragged && target.closest("#media .media-list")) {
      event.preventDefault();
    }
  });
  on("drop", (/** @type {any} */ target) => {
    const over = target.closest("#media .media-list > li");
    if (dragged && over) {
      void move(entries().indexOf(dragged), entries().indexOf(over));
    }
    dragged = null;
  });
  on("click", async (/** @type {any} */ target, /** @type {any} */ event) => {
    const button = target.closest("#media [name=intent], .ordered [name=intent]");
    if (button) {
      event.preventDefault();
      const [action, index, account] = button.value.split(".");
      const list = button.closest("fieldset").id;
      touch(account ? list : "media");
      await refresh(MEDIA, button.value);
      const place = Number(index) + (action.endsWith("up") ? -1 : action.endsWith("down") ? 1 : 0);
      const same = one(`[value="${action}.${place}${account ? `.${account}` : ""}"]:enabled`, form);
      const entry = account ? byId(`${list}.${place}`) : one("button:enabled", entries()[place] ?? byId("media"));
      (same ?? entry ?? (account ? one("button", byId(list)) : byId("files")))?.focus();
    }
  });
  const firstFailed = () => one(".uploads .failed", form);
  /** How far the uploads are for which a pressed button waits. Null if none is running. */
  const progress = () => {
    const bars = all(".uploads li:not(.failed) progress", form);
    const sum = (/** @type {string} */ key) => bars.reduce((total, bar) => total + bar[key], 0);
    return bars.length > 0
      ? `Waiting for ${bars.length} ${bars.length > 1 ? "files" : "file"}: ${Math.floor((100 * sum("value")) / sum("max"))} % uploaded.`
      : null;
  };
  const waitingLine = paragraph("hint");
  waitingLine.role = "status";
  const showWaiting = () => {
    waitingLine.textContent = pressed
      ? progress()
      : firstFailed() && "Not every file was uploaded: try again or remove the others first.";
    if (pressed) {
      setTimeout(showWaiting, 500);
    }
  };
  // The upload script announces each stored file, because it changes the list of files itself.
  on("uploaded", async (/** @type {any} */ _, /** @type {any} */ { detail }) => {
    const into = byId(detail.into);
    if (into) {
      into.value = into.rows ? `${into.value}\n${detail.url}` : detail.url;
    } else {
      uploaded.set(detail.entry, detail.url);
    }
    touch(detail.into ?? "media");
    await refresh(MEDIA);
    if (pressed && !progress()) {
      const button = pressed;
      pressed = null;
      showWaiting();
      if (!firstFailed()) {
        form.requestSubmit(button);
      }
    }
  });

  on("input", (/** @type {any} */ { name, dataset }) => {
    isEdited = true;
    touch(name);
    if (dataset.refresh) {
      void refresh([dataset.refresh], undefined, name === "account");
    } else {
      checkSoon();
    }
  });
  on("submit", (/** @type {any} */ _, /** @type {any} */ event) => {
    // Wait for running uploads: loading a new page would lose the files.
    if (one(".uploads li", form)) {
      event.preventDefault();
      one(".composer-actions", form).append(waitingLine);
      pressed = progress() && event.submitter;
      showWaiting();
      firstFailed()?.scrollIntoView();
      return;
    }
    save();
    store.setItem(CURRENT, key);
  });
  const openTab = () => {
    const tab = byId(decodeURIComponent(location.hash.slice(1)))?.closest(".account-tab");
    if (tab && form.contains(tab)) {
      one("[name=shown]", tab).checked = true;
    }
  };
  addEventListener("hashchange", openTab);
  addEventListener("pagehide", save);
  form.closest("dialog")?.addEventListener("close", save, { once: true });

  prepare();
  openTab();
  const unsent = !isRefused && store.getItem(key);
  if (unsent && unsent !== initial) {
    const notice = paragraph("notice info", "What you wrote here before is restored. ");
    notice.role = "status";
    notice.innerHTML += '<button type="button" class="link">Discard it</button>';
    one("button", notice).addEventListener("click", () => {
      isKept = false;
      store.removeItem(key);
      location.reload();
    });
    const restore = async () => {
      // Lock the form until the old text is restored, so that new typing is not mixed with it.
      form.inert = true;
      if (await refresh([".composer-columns"], new URLSearchParams(unsent))) {
        form.prepend(notice);
      }
      form.inert = false;
    };
    void restore();
  } else {
    void check();
  }
}

/**
 * Starts the composer. The calendar also calls this when it opens the form in a dialog. @param {URL | Location}
 * [address]
 */
export function start(address = location) {
  for (const form of all("form[data-composer]")) {
    enhance(form, address);
  }
}
start();
