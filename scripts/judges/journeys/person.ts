import type { Locator, Page } from "playwright-core";

export const BROWSERS = ["chromium", "firefox"] as const;

export type BrowserName = (typeof BROWSERS)[number];

export const MODES = ["script", "noscript", "keyboard", "touch"] as const;

export type Mode = (typeof MODES)[number];

export interface UploadFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const TABS_MAX = 250;

/** Uses a page as a person would: finds things by what they are called, and reaches them by mouse, finger or keyboard. */
export class Person {
  readonly page: Page;
  readonly mode: Mode;
  readonly browser: BrowserName;

  constructor(page: Page, mode: Mode, browser: BrowserName) {
    this.page = page;
    this.mode = mode;
    this.browser = browser;
  }

  /** Whether Playwright cannot wait in the page for an element to stand still, because timers do not run there. */
  get #isWithoutTimers(): boolean {
    return this.browser === "firefox" && this.mode === "noscript";
  }

  /** Moves the mouse there, as far as there is one. */
  async pointAt(target: Locator): Promise<void> {
    await target.hover({ force: this.#isWithoutTimers });
  }

  /** Follows a link, presses a button, opens what a summary hides. */
  async press(target: Locator): Promise<void> {
    await target.waitFor();
    if (this.mode === "keyboard") {
      await this.#focus(target);
      await this.page.keyboard.press("Enter");
    } else {
      await this.#touchOrClick(target);
    }
  }

  async #touchOrClick(target: Locator): Promise<void> {
    if (this.#isWithoutTimers) {
      if (!(await target.evaluate(isOnTopInView))) {
        throw new Error(`${await describe(target)} is covered by something`);
      }
      await target.click({ force: true });
    } else if (this.browser === "chromium" && this.mode === "touch") {
      await target.tap();
    } else {
      // In the touch mode of Firefox the proxy makes a touch of it.
      await target.click();
    }
  }

  pressButton(name: string | RegExp): Promise<void> {
    return this.press(this.page.getByRole("button", { name, exact: typeof name === "string" }).first());
  }

  followLink(name: string | RegExp): Promise<void> {
    return this.press(this.page.getByRole("link", { name, exact: typeof name === "string" }).first());
  }

  /** Opens a part that can be folded, if it is closed. */
  async unfold(text: string | RegExp, within: Locator | Page = this.page): Promise<void> {
    const summary = within.locator("summary", { hasText: text }).first();
    const isOpen = () => summary.evaluate((element) => element.parentElement?.hasAttribute("open") ?? false);
    if (!(await isOpen())) {
      await this.press(summary);
    }
    if (!(await isOpen())) {
      throw new Error(`${await describe(summary)} does not open`);
    }
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: typeof label === "string" }).first();
    await field.waitFor();
    const type = await field.getAttribute("type");
    let cameBack = false;
    if (this.mode === "keyboard") {
      cameBack = (await this.#focus(field)) === "Shift+Tab";
    } else if (this.browser === "chromium") {
      await field.fill(text);
      return;
    } else {
      await this.#touchOrClick(field);
    }
    if (type === "date" || type === "time") {
      await this.#typeParts(field, text, cameBack);
    } else {
      await this.page.keyboard.press("ControlOrMeta+a");
      await this.page.keyboard.type(text);
    }
  }

  /** Types a date or a time in the order in which the computer asks for its parts. */
  async #typeParts(field: Locator, text: string, cameBack: boolean): Promise<void> {
    if (cameBack) {
      // From the button of the calendar to the last part.
      await this.page.keyboard.press("Shift+Tab");
    }
    const [first = "", second = "", third = ""] = text.split(/[-:]/);
    const [hour, half] = [Number(first) % 12 || 12, Number(first) < 12 ? "AM" : "PM"];
    const monthFirst = `${second}${third}${first}`;
    const dayFirst = `${third}${second}${first}`;
    const orders =
      third === ""
        ? [`${first}${second}`, `${String(hour).padStart(2, "0")}${second}${half}`]
        : this.browser === "firefox"
          ? [monthFirst, dayFirst]
          : [dayFirst, monthFirst];
    for (const keys of orders) {
      for (const _part of ["year", "month", "day"]) {
        await this.page.keyboard.press("ArrowLeft");
      }
      await this.page.keyboard.type(keys);
      if ((await field.inputValue()) === text) {
        return;
      }
    }
    throw new Error(`${await describe(field)} does not take ${text} from the keyboard`);
  }

  /** Ticks a box or chooses one of several. */
  async choose(target: Locator): Promise<void> {
    await target.waitFor();
    if (await target.isChecked()) {
      return;
    }
    if (this.mode !== "keyboard") {
      await this.#touchOrClick(target);
    } else if ((await target.getAttribute("type")) === "radio") {
      await this.#chooseRadio(target);
    } else {
      await this.#focus(target);
      await this.page.keyboard.press("Space");
    }
    if (!(await target.isChecked())) {
      throw new Error(`${await describe(target)} cannot be chosen`);
    }
  }

  /** Chooses from a list that unfolds; by keyboard, by the first letters of the choice. */
  async select(label: string, choice: string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: true }).first();
    await field.waitFor();
    if (this.mode === "keyboard") {
      await this.#focus(field);
      await this.page.keyboard.type(choice);
    } else {
      await field.selectOption({ label: choice });
    }
    const chosen = await field.locator("option:checked").textContent();
    if (chosen !== choice) {
      throw new Error(`${await describe(field)} shows "${chosen}" and not "${choice}"`);
    }
  }

  /** The dialog for files belongs to the operating system: only the field must be reachable. */
  async chooseFiles(label: string, files: readonly UploadFile[]): Promise<void> {
    const field = this.page.getByLabel(label).first();
    if (this.mode === "keyboard") {
      await this.#focus(field);
    }
    await field.setInputFiles([...files]);
  }

  /** Tab reaches the chosen one of a group, arrows the others. */
  async #chooseRadio(target: Locator): Promise<void> {
    const name = await target.getAttribute("name");
    const group = this.page.locator(`input[type="radio"][name="${name}"]`);
    const chosen = group.and(this.page.locator(":checked"));
    await this.#focus((await chosen.count()) === 1 ? chosen : group.first());
    for (let turn = 0; turn < (await group.count()) && !(await target.isChecked()); turn++) {
      await this.page.keyboard.press("ArrowDown");
    }
  }

  /** Forwards or back, and tells which, but not around: behind the last element of a page are the bars of the browser. */
  async #focus(target: Locator): Promise<"Tab" | "Shift+Tab"> {
    const key = (await target.evaluate(isBeforeFocus)) ? "Shift+Tab" : "Tab";
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (await target.evaluate(isFocused)) {
        if (!(await target.evaluate(showsFocus))) {
          throw new Error(`${await describe(target)} has the focus and does not show it`);
        }
        return key;
      }
      // A day of the calendar is one tab stop: the arrow keys reach what is in it.
      await this.page.keyboard.press((await target.evaluate(isInFocusedDay)) ? "ArrowDown" : key);
    }
    throw new Error(`${await describe(target)} is not reached with ${key}`);
  }
}

/** Whether the element has the focus. Runs in the page. */
function isFocused(element: Element): boolean {
  return element.matches(":focus");
}

/** Scrolls to the element and tells whether a click into its middle reaches it or its label. Runs in the page. */
function isOnTopInView(element: Element): boolean {
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return top !== null && (element.contains(top) || top.contains(element) || top.closest("label")?.control === element);
}

/** Whether the focus is in the day of the calendar that the element is in. Runs in the page. */
function isInFocusedDay(element: Element): boolean {
  return element.closest(".day")?.matches(":focus-within") ?? false;
}

/** Whether the element precedes the focused one in the document. Runs in the page. */
function isBeforeFocus(element: Element): boolean {
  const focused = document.querySelector(":focus");
  return focused !== null && (focused.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
}

/** Whether the focused element, or what stands around it, has an outline. Runs in the page. */
function showsFocus(element: Element): boolean {
  const around = [
    element,
    element.parentElement,
    element.closest("label"),
    ...((element as HTMLInputElement).labels ?? []),
  ];
  return around.some((part) => {
    const style = part && getComputedStyle(part);
    return style && ((style.outlineStyle !== "none" && style.outlineWidth !== "0px") || style.boxShadow !== "none");
  });
}

async function describe(target: Locator): Promise<string> {
  return (await target.evaluate((element) => element.outerHTML)).slice(0, 160);
}
