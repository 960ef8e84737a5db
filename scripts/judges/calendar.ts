import { spawnSync } from "node:child_process";
import { writeCalendar } from "../../src/feeds/write-calendar.ts";
import type { FeedPost } from "../../src/feeds/types.ts";

/*
 * Reads a calendar feed with Python's `icalendar` (Debian: python3-icalendar): `npm run judge:calendar`. Fails unless every event comes
 * back with exactly what was written. The package is Debian's, so that Debian's Python reads it.
 */

const PYTHON = "/usr/bin/python3";
const READER = `
import json, sys
from icalendar import Calendar
calendar = Calendar.from_ical(sys.stdin.buffer.read())
print(json.dumps({"name": str(calendar["X-WR-CALNAME"]), "errors": [str(e) for v in calendar.walk("VEVENT") for e in v.errors], "events": [
  {"uid": str(v["UID"]), "description": str(v["DESCRIPTION"]), "url": str(v["URL"]), "status": str(v["STATUS"]),
   "sequence": int(v["SEQUENCE"]), "start": v["DTSTART"].dt.isoformat(), "minutes": v["DURATION"].dt.total_seconds() / 60}
  for v in calendar.walk("VEVENT")]}))
`;

const CAPTIONS = [
  "Two\nlines\n\nand, a comma; a semicolon: a colon",
  // Single ones only: icalendar 4 unescapes a property twice, also one that it has written itself (ical.js does not: test/feeds/).
  String.raw`C:\data \x \"`,
  "BEGIN:VEVENT\nUID:planted\nEND:VEVENT\nEND:VCALENDAR",
  `${"x".repeat(61)}👩‍👩‍👧‍👦${"é".repeat(40)}€${"😀".repeat(40)}`,
  ...Array.from({ length: 20 }, (_, before) => `${"a".repeat(50 + before)}😀é€😀é€😀é€😀é€😀é€`),
  'tab \t "quotes" <b>&amp;</b> ^n',
  "left\u202Eright\u202C and \uFEFF",
  "",
] as const;

const at = Date.UTC(2026, 11, 1, 9);
const posts: readonly FeedPost[] = CAPTIONS.map((caption, index) => ({
  id: `018f0000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  status: index % 2 === 0 ? "scheduled" : "cancelled",
  version: index + 1,
  scheduledAt: at,
  updatedAt: at,
  caption,
  targets: [{ platform: "x", username: "ada, of “X”; \\", status: "published", url: "https://x.com/a/status/1" }],
}));

const text = writeCalendar({ workspaceName: "Shop; of, Ada \\", posts, isCut: true }, "https://almanac.example");
const { status, stdout, stderr } = spawnSync(PYTHON, ["-c", READER], { input: text, encoding: "utf8" });
if (status !== 0) {
  process.stderr.write(`icalendar could not read the calendar (apt-get install python3-icalendar):\n${stderr}\n`);
  process.exit(1);
}

const target = "X (ada, of “X”; \\): published, https://x.com/a/status/1";
const wanted = posts.map(({ id, status, version, caption }) => ({
  uid: id,
  description: caption === "" ? target : `${caption}\n\n${target}`,
  url: `https://almanac.example/dashboard/posts/${id}`,
  status: status === "cancelled" ? "CANCELLED" : "CONFIRMED",
  sequence: version,
  start: "2026-12-01T09:00:00+00:00",
  minutes: 15,
}));
const read = JSON.parse(stdout) as { name: string; errors: string[]; events: object[] };
const differing = wanted.filter((event, index) => !isSame(event, read.events[index]));
const longest = Math.max(...text.split("\r\n").map((line) => Buffer.byteLength(line)));

function isSame(a: object, b: object | undefined): boolean {
  const sorted = (value: object) => JSON.stringify(Object.entries(value).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return b !== undefined && sorted(a) === sorted(b);
}

const isRight =
  differing.length === 0 &&
  read.events.length === wanted.length &&
  read.errors.length === 0 &&
  read.name === "Almanac: Shop; of, Ada \\" &&
  longest <= 75;
process.stdout.write(
  `${isRight ? "ok" : "FAILED"}: icalendar reads ${read.events.length} of ${wanted.length} events, ${differing.length} differ, ${read.errors.length} errors, longest line ${longest} octets\n`,
);
for (const event of differing) {
  process.stdout.write(
    `  wanted ${JSON.stringify(event)}\n  read   ${JSON.stringify(read.events[wanted.indexOf(event)])}\n`,
  );
}
process.exitCode = isRight ? 0 : 1;
