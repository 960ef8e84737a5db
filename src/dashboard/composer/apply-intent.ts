import type { OptionSpec } from "#platforms/option-specs.ts";
import type { PostForm } from "./post-form.ts";

/** The form after one of its buttons that change the order of the media; any other intent changes nothing. */
export function applyIntent(
  form: PostForm,
  intent: string,
  specsOfAccount: (accountId: string) => readonly OptionSpec[],
): PostForm {
  const [, action, index] = /^media_(up|down|remove)\.(\d+)$/.exec(intent) ?? [];
  const from = Number(index);
  if (action === undefined || from >= form.media.length) {
    return form;
  }
  const move = <T>(items: readonly T[]): readonly T[] => {
    const rest = items.toSpliced(from, 1);
    return action === "remove"
      ? rest
      : rest.toSpliced(Math.max(0, from + (action === "up" ? -1 : 1)), 0, items[from] as T);
  };
  // What was written about a medium goes where the medium goes.
  const options = new Map(
    Array.from(form.options, ([accountId, values]) => {
      const ofMedia = new Set(
        specsOfAccount(accountId)
          .filter(({ input }) => input === "per_media")
          .map(({ key }) => key),
      );
      const moved = Array.from(values, ([key, texts]) => {
        const padded = [...texts, ...Array.from({ length: form.media.length - texts.length }, () => "")];
        return [key, ofMedia.has(key) ? move(padded) : texts] as const;
      });
      return [accountId, new Map(moved)] as const;
    }),
  );
  return { ...form, media: move(form.media), options };
}
