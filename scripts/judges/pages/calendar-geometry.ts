import type { Page } from "playwright-core";

/** What must stay inside of what; a pixel is allowed for rounding. */
const FIND_OUTLIERS = `[
  [".days > .day", ".days"],
  [".day .chip-item", ".day"],
  [".slot .chip-item", ".slot"],
  [".chip > *", ".chip-item"],
  [".move", ".chip-item"],
  [".more", ".day"],
].flatMap(([inner, outer]) =>
  [...document.querySelectorAll("#calendar " + inner)].flatMap((element) => {
    const box = element.getBoundingClientRect();
    const around = element.parentElement.closest(outer)?.getBoundingClientRect();
    const leaves =
      around !== undefined &&
      box.width > 0 &&
      (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1);
    return leaves ? [inner + " leaves " + outer + ": " + element.textContent.slice(0, 60)] : [];
  }),
)`;

/** Every visible part of the calendar that leaves the box it belongs to; empty if all fits or the page has no calendar. */
export const findCalendarOutliers = (page: Page): Promise<string[]> => page.evaluate<string[]>(FIND_OUTLIERS);
