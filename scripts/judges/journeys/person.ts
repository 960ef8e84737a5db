import type { Locator, Page } from "playwright-core";

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

  constructor(page: Page, mode: Mode) {
    this.page = page;
    this.mode = mode;
  }

  /** Follows a link, presses a button, opens what a summary hides. */
  async press(target: Locator): Promise<void> {
    await target.waitFor();
    if (this.mode === "keyboard") {
      await this.#focus(target);
      await this.page.keyboard.press("Enter");
    } else if (this.mode === "touch") {
      await target.tap();
    } else {
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
    if (this.mode !== "keyboard") {
      await field.fill(text);
      return;
    }
    await this.#focus(field);
    if (type === "date" || type === "time") {
      // The order of the parts of a date depends on the computer.
      await field.fill(text);
    } else {
      await this.page.keyboard.press("ControlOrMeta+a");
      await this.page.keyboard.insertText(text);
    }
  }

  /** Ticks a box or chooses one of several. */
  async choose(target: Locator): Promise<void> {
    await target.waitFor();
    if (await target.isChecked()) {
      return;
    }
    if (this.mode !== "keyboard") {
      await (this.mode === "touch" ? target.tap() : target.check());
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

  async #focus(target: Locator): Promise<void> {
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (await target.evaluate((element) => element.matches(":focus"))) {
        return;
      }
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`${await describe(target)} is not reached with the Tab key`);
  }
}

async function describe(target: Locator): Promise<string> {
  return (await target.evaluate((element) => element.outerHTML)).slice(0, 160);
}
