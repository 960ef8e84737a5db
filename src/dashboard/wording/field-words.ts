import type { Services } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { type OptionSpec, optionSpecs } from "#platforms/option-specs.ts";
import { type Display, formatDateTime } from "./display.ts";

type Adapters = Pick<Services, "adapterFor">;

/** What sentences need in order to name form fields and times as the person sees them. */
export interface Words {
  readonly specs: readonly OptionSpec[];
  readonly display: Display;
}

/** The option fields of a platform. Empty if the account, and so its platform, is unknown. */
export function specsOf(services: Adapters, platform: Platform | undefined): readonly OptionSpec[] {
  const adapter = platform && services.adapterFor(platform);
  return adapter ? optionSpecs(adapter) : [];
}

/** The words for one platform. Without `platform`, the option fields of all platforms are named. */
export function wordsFor(services: Adapters, display: Display, platform?: Platform): Words {
  const platforms = platform === undefined ? PLATFORMS : [platform];
  return { specs: platforms.flatMap((name) => specsOf(services, name)), display };
}

/** Matches members of `media_items` and `media_urls`, such as `media_items[2].cover`. */
const FILE = /^media_(?:items|urls)\[(\d+)\](?:\.(alt_text|cover))?/;
const PART = /^thread\[(\d+)\](?:\.(.+))?/;
const FIELDS = {
  caption: "the text",
  media_items: "the media",
  media_urls: "the media",
  scheduled_at: "the time",
} as const;

/** The form's name for a member of an API request: `“Title”`, `file 3`, `the cover of file 3`. */
export function fieldInWords(member: string, specs: readonly OptionSpec[]): string {
  const name = member.replace(/^(?:targets|target_options)\[\d+\]\./, "").replace(/^platform_options\./, "");
  const [, file, use] = FILE.exec(name) ?? [];
  if (file !== undefined) {
    const words = `file ${Number(file) + 1}`;
    return use === undefined ? words : `the ${use === "cover" ? "cover" : "description"} of ${words}`;
  }
  const [, part, inPart] = PART.exec(name) ?? [];
  if (part !== undefined) {
    const words = `part ${Number(part) + 2} of the thread`;
    return inPart === undefined ? words : `${fieldInWords(inPart, specs)} of ${words}`;
  }
  const spec = specs
    .filter(({ key }) => name === key || name.startsWith(`${key}.`) || name.startsWith(`${key}[`))
    .toSorted((a, b) => b.key.length - a.key.length)[0];
  if (spec === undefined) {
    return Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof typeof FIELDS] : name;
  }
  const [, entry] = /^\[(\d+)\]/.exec(name.slice(spec.key.length)) ?? [];
  return entry === undefined ? `“${spec.label}”` : `entry ${Number(entry) + 1} of “${spec.label}”`;
}

/** A message that names form fields and times as the person sees them. */
export function messageInWords(
  { message, parts }: Pick<RefusalDetail, "message" | "parts">,
  { specs, display }: Words,
): string {
  return parts === undefined
    ? message
    : parts
        .map((part) =>
          typeof part === "string"
            ? part
            : "member" in part
              ? fieldInWords(part.member, specs)
              : formatDateTime(display, part.instant),
        )
        .join("");
}
