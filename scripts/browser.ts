import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { runConsent } from "./browser/consent.ts";
import { runPasskey } from "./browser/passkey.ts";
import { runPerson } from "./browser/person.ts";
import { Visit } from "./browser/visit.ts";
import { withService } from "./service.ts";

/*
 * A person in Chromium walks through the identity pages, with and without JavaScript: `npm run browser -- [origin of a
 * running service]`. Fails on any axe finding, console error or violation of the content policy.
 * `SHOTS=<folder>` keeps screenshots.
 */

const shots = process.env["SHOTS"] ?? null;
if (shots !== null) {
  await mkdir(shots, { recursive: true });
}

async function walk(origin: string): Promise<string[]> {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const findings: string[] = [];
  try {
    for (const [name, options] of [
      ["script, light", { javaScriptEnabled: true, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
      ["script, dark, phone", { javaScriptEnabled: true, colorScheme: "dark", viewport: { width: 390, height: 844 } }],
      ["no script", { javaScriptEnabled: false, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
    ] as const) {
      const started = Date.now();
      const visit = await Visit.begin(browser, { origin, name, shots, options });
      const person = {
        email: `visitor-${randomBytes(6).toString("hex")}@example.com`,
        password: `correct horse ${randomBytes(6).toString("hex")}`,
      };
      await runPerson(visit, person);
      await runConsent(visit);
      if (options.javaScriptEnabled) {
        await runPasskey(visit, person);
      }
      findings.push(...(await visit.end()));
      console.log(`${name}: done in ${Date.now() - started} ms`);
    }
    return findings;
  } finally {
    await browser.close();
  }
}

const findings = await withService(process.argv[2], walk);
for (const finding of findings) {
  console.error(finding);
}
console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
