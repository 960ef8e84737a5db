import type { Facts } from "#operator/facts.ts";
import { green, red, type Row, yellow } from "./row.ts";

const PAGES = ["/privacy", "/terms", "/data-deletion"] as const;
const TIMEOUT_MS = 20_000;

/** The status of the page for somebody without a login; 0 without an answer. */
async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

async function failingOf(origin: string, paths: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(paths.map(async (path) => ({ path, status: await statusOf(`${origin}${path}`) })));
  return statuses
    .filter(({ status }) => status !== 200)
    .map(({ path, status }) => `${path} (${status === 0 ? "no answer" : `HTTP ${status}`})`);
}

async function publicPages({ origin, operator }: Facts): Promise<Row> {
  const missing = [
    ...(operator.hasName ? [] : ["OPERATOR_NAME"]),
    ...(operator.hasContact ? [] : ["OPERATOR_CONTACT"]),
  ];
  if (missing.length > 0) {
    return yellow(
      "Public pages",
      `${PAGES.join(", ")} are 404 until ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} set: reviews ask for them`,
    );
  }
  const failing = await failingOf(origin, PAGES);
  return failing.length === 0
    ? green("Public pages", `${PAGES.join(", ")} answer`)
    : red("Public pages", `not served: ${failing.join(", ")}: look for a rule of your zone that stops them`);
}

async function verificationFiles({ origin, verificationFiles: files }: Facts): Promise<Row> {
  if (files === null) {
    return red("Verification files", "MEDIA_VERIFICATION_FILES is no JSON object of file name to text");
  }
  const failing = await failingOf(
    origin,
    files.map((name) => `/${name}`),
  );
  if (failing.length > 0) {
    return red(
      "Verification files",
      `not served: ${failing.join(", ")}: the name may have letters, digits, dots, dashes and underscores`,
    );
  }
  return green(
    "Verification files",
    files.length === 0 ? "none; TikTok and Google ask for one" : `${files.join(", ")} served`,
  );
}

/** Fetches the pages that platform portals and app reviews require. */
export async function checkPages(facts: Facts): Promise<Row[]> {
  return await Promise.all([publicPages(facts), verificationFiles(facts)]);
}
