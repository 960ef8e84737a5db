import type { PageChecker } from "./page-checker.ts";

/** Opens the choice of further accounts of a login, on a desk and on a phone; nothing is chosen. */
export async function runChoiceFlow(checker: PageChecker): Promise<void> {
  const { page } = checker;
  const desk = page.viewportSize() ?? { width: 1280, height: 900 };
  await checker.open("/dashboard/accounts");
  await page
    .getByRole("link", { name: /^Choose accounts/ })
    .first()
    .click();
  await page.getByRole("heading", { name: /^Choose accounts at/ }).waitFor();
  for (const [form, viewport] of [
    ["desk", desk],
    ["phone", { width: 390, height: 844 }],
  ] as const) {
    await page.setViewportSize(viewport);
    await checker.checkPage(`accounts-choice-${form}`);
  }
  await page.setViewportSize(desk);
}
