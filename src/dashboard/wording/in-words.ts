import type { Services } from "#context.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import { type OptionSpec, optionSpecs } from "#platforms/option-specs.ts";
import { toSentence } from "./sentence.ts";
import { type Display, formatTime } from "./display.ts";

type Adapters = Pick<Services, "adapterFor">;

/** The option fields of a platform; none for an account that is not known. */
export function specsOf(services: Adapters, platform: Platform | undefined): readonly OptionSpec[] {
  const adapter = platform && services.adapterFor(platform);
  return adapter ? optionSpecs(adapter) : [];
}

/** Those of all platforms, for a sentence of which it is not known whose it is. */
export function specsOfAll(services: Adapters): readonly OptionSpec[] {
  return PLATFORMS.flatMap((platform) => specsOf(services, platform));
}

/** What the API adds for programs: the description of an option's schema, and that null leaves it out. */
const FOR_PROGRAMS = /, or null when not set|(?<=^[^(]*(?:is missing: send it|platform_options\.[^(]*)) \(.*\)$/gs;

/** A sentence of the API, with the names of options as the form shows them, and none that only programs know. */
export function inWords(message: string, specs: readonly OptionSpec[]): string {
  const words = specs.reduce(
    (text, { key, label }) =>
      text
        .replaceAll(new RegExp(`platform_options\\.${key}\\b`, "g"), `“${label}”`)
        // A name with an underscore is no word of the sentence.
        .replaceAll(key.includes("_") ? new RegExp(`(?<!\\.)\\b${key}\\b`, "g") : "\0", `“${label}”`),
    message
      .replaceAll(FOR_PROGRAMS, "")
      .replace(": send it", ": fill it in")
      .replaceAll(/media_(?:items|urls)\[(\d+)\]/g, (_, index: string) => `file ${Number(index) + 1}`),
  );
  return toSentence(words);
}

/** A warning that names the time until which a preview can be confirmed, as programs read it. */
export function isDueSoon({ code }: Pick<ValidationWarning, "code">): boolean {
  return code === "due_soon";
}

/** The last moment for a post that is due within minutes, on the person's clock; `button` is the one that confirms. */
export function deadlineInWords(button: string, scheduledAt: number, display: Display): string {
  return `Press ${button} before ${formatTime(display, scheduledAt)}.`;
}

/** The warnings of a previewed post and its accounts as a person reads them. */
export function warningsInWords(
  services: Adapters,
  preview: {
    readonly scheduledAt: number;
    readonly warnings: readonly ValidationWarning[];
    readonly targets: readonly { readonly platform: Platform; readonly warnings: readonly ValidationWarning[] }[];
  },
  { button, display }: { readonly button: string; readonly display: Display },
): readonly string[] {
  const ofPost = preview.warnings.map((warning) =>
    isDueSoon(warning)
      ? deadlineInWords(button, preview.scheduledAt, display)
      : inWords(warning.message, specsOfAll(services)),
  );
  const ofTargets = preview.targets.flatMap(({ platform, warnings }) =>
    warnings.map(({ message }) => inWords(message, specsOf(services, platform))),
  );
  return [...ofPost, ...ofTargets];
}
