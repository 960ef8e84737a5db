import type { Page } from "playwright-core";
import type { DemoWorkspace } from "../demo/demo-workspace.ts";
import type { PageChecker } from "./page-checker.ts";

const DAY_MS = 86_400_000;

/** The text of the page as assistive technology reads it, with what style sheets generate. */
async function textOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes.flatMap(({ role, name }) => (role?.value === "StaticText" ? [String(name?.value)] : [])).join("");
}

/** Selects posts of the calendar and changes a table cell by cell, on a desk and on a phone; nothing is confirmed. */
export async function runSelectionFlow(checker: PageChecker, { month }: Pick<DemoWorkspace, "month">): Promise<void> {
  const { page } = checker;
  const desk = page.viewportSize() ?? { width: 1280, height: 900 };
  const button = (name: string) => page.getByRole("button", { name, exact: true }).click();
  for (const [form, viewport] of [
    ["desk", desk],
    ["phone", { width: 390, height: 844 }],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const view of ["month", "week", "list"]) {
      await checker.open(`/dashboard?view=${view}&date=${month}&select=some`);
      await checker.checkPage(`select-${view}-${form}`);
    }
    const scheduled = page.locator(".chip-item.scheduled input[name=post]");
    await scheduled.nth(0).check();
    await scheduled.nth(1).check();
    checker.expect(`${form}: the bar counts two selected posts`, (await textOf(page)).includes("2 selected"));
    await button("Move");
    await page.getByLabel("By how many days").fill("2");
    await checker.checkPage(`selection-move-${form}`);
    await button("Preview");
    await page.getByRole("button", { name: "Move 2 posts" }).waitFor();
    await checker.checkPage(`selection-preview-${form}`);
    // This month has posts that are public.
    await checker.open("/dashboard?view=month&select=all");
    await button("Cancel posts");
    await page.getByRole("heading", { name: "Nothing was changed" }).waitFor();
    await checker.checkPage(`selection-refused-${form}`);
    await checker.open("/dashboard/posts/many");
    const at = new Date(Date.now() + 3 * DAY_MS).toISOString();
    await page
      .getByLabel("Or its text")
      .fill(`caption,scheduled_at,platforms,accounts\nThe kiln is on,${at},x,\nNew bowls,${at},,nobody\n`);
    await button("Preview");
    await page.getByRole("button", { name: "Schedule the 1 good post" }).waitFor();
    await checker.checkPage(`many-preview-${form}`);
    const table = await page.getByRole("region", { name: "The rows and their cells" }).boundingBox();
    checker.expect(`${form}: the table of rows fills its card`, (table?.width ?? 0) > viewport.width / 2);
  }
  await page.setViewportSize(desk);
}
