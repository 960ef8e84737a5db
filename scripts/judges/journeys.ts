import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, firefox } from "playwright-core";
import { withService } from "../service.ts";
import { Journey } from "./journeys/journey.ts";
import { type BrowserName, BROWSERS, type Mode, MODES } from "./journeys/person.ts";

/*
 * Takes a new user from the front page to a repaired post, in Chromium and Firefox ESR, with a script, without, by keyboard and by
 * touch: `npm run journeys -- [--browser chromium|firefox] [--mode script|noscript|keyboard|touch] [origin of a running service]`.
 * `SHOTS=<folder>` keeps a screenshot of where a journey ended.
 */

const STEP_TIMEOUT_MS = 20_000;

/** Firefox cannot switch scripts off, or be a phone, for one context, but for a profile. */
const FIREFOX_SETTINGS: Partial<Record<Mode, Readonly<Record<string, number | boolean>>>> = {
  noscript: { "javascript.enabled": false },
  // A pointer that is coarse and cannot hover.
  touch: {
    "dom.w3c_touch_events.enabled": 1,
    "ui.primaryPointerCapabilities": 1,
    "ui.allPointerCapabilities": 1,
  },
};

function launch(name: BrowserName, mode: Mode): Promise<Browser> {
  return name === "chromium"
    ? chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
    : firefox.launch({
        channel: "moz-firefox",
        executablePath: join(import.meta.dirname, "journeys", "firefox-proxy.ts"),
        firefoxUserPrefs: FIREFOX_SETTINGS[mode] ?? {},
        env: { ...process.env, ...(mode === "touch" && { FIREFOX_POINTER: "touch" }) },
        timeout: 120_000,
      });
}

function contextOptions(browser: BrowserName, mode: Mode): BrowserContextOptions {
  return {
    viewport: mode === "touch" ? { width: 390, height: 844 } : { width: 1280, height: 900 },
    timezoneId: "UTC",
    locale: "en-GB",
    ...(browser === "chromium" && { javaScriptEnabled: mode !== "noscript", hasTouch: mode === "touch" }),
  };
}

interface Outcome {
  readonly browser: BrowserName;
  readonly mode: Mode;
  readonly seconds: number;
  readonly findings: readonly string[];
}

async function runJourney(origin: string, browser: Browser, name: BrowserName, mode: Mode): Promise<Outcome> {
  const started = Date.now();
  const context = await browser.newContext(contextOptions(name, mode));
  const findings: string[] = [];
  let step = "start";
  // Pictures of the simulated platforms' hosts, which exist nowhere.
  await context.route(
    (url) => url.origin !== origin,
    (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_TIMEOUT_MS);
  page.on("console", (message) => {
    const isRefusedForm = /Failed to load resource.* 400 /.test(message.text());
    if (message.type() === "error" && !isRefusedForm) {
      findings.push(`${step}: console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => findings.push(`${step}: script error: ${error.message}`));
  try {
    await new Journey({ origin, page, mode, browser: name, onStep: (next) => (step = next) }).run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    findings.push(`${step}, at ${page.url()}: ${message}`);
  }
  const folder = process.env["SHOTS"];
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    // Playwright hides the caret by a style that the pages' policy refuses.
    page.removeAllListeners();
    await page.screenshot({ path: join(folder, `${name}-${mode}.png`), fullPage: true }).catch(() => null);
  }
  await context.close();
  return { browser: name, mode, seconds: Math.round((Date.now() - started) / 1000), findings };
}

const { values, positionals } = parseArgs({
  options: { browser: { type: "string", multiple: true }, mode: { type: "string", multiple: true } },
  allowPositionals: true,
});

const outcomes = await withService(positionals[0], async (origin) => {
  const all: Outcome[] = [];
  for (const name of BROWSERS.filter((candidate) => values.browser?.includes(candidate) ?? true)) {
    for (const mode of MODES.filter((candidate) => values.mode?.includes(candidate) ?? true)) {
      const browser = await launch(name, mode);
      try {
        const outcome = await runJourney(origin, browser, name, mode);
        all.push(outcome);
        console.log(`${name} ${mode}: ${outcome.findings.length} findings in ${outcome.seconds} s`);
        for (const finding of outcome.findings) {
          console.error(`  ${finding}`);
        }
      } finally {
        await browser.close();
      }
    }
  }
  return all;
});
process.exitCode = outcomes.length > 0 && outcomes.every(({ findings }) => findings.length === 0) ? 0 : 1;
