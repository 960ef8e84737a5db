import type { FC } from "hono/jsx";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { THREAD_PARTS_MAX } from "#platforms/thread.ts";
import type { PartCount } from "./caption-count.ts";
import { ChosenMedia, MediaChoice } from "./chosen-media.tsx";
import type { ComposerView } from "./composer-view.ts";
import { describe, FieldProblems, TextArea } from "./fields.tsx";
import {
  optionField,
  partAltTextField,
  partField,
  partLibraryField,
  partMediaField,
  partMediaUrlField,
} from "#dashboard/post-form/post-form.ts";
import { partMediaKey, readPartMedia } from "#dashboard/post-form/read-options.ts";
import { partMediaOf } from "#dashboard/post-form/read-post-form.ts";

interface PartsProps {
  readonly view: ComposerView;
  readonly accountId: string;
  readonly spec: OptionSpec;
  readonly texts: readonly string[];
  /** The length of each thread part, as far as it is known. */
  readonly counts: readonly PartCount[];
}

/** The texts of a thread's parts after the first, with buttons to add, move and remove parts. */
export const ThreadParts: FC<PartsProps> = (props) => {
  const { view, accountId, spec, texts } = props;
  const name = optionField(accountId, spec.key);
  return (
    <fieldset id={name} class="thread-parts ordered" {...describe(view, name)}>
      <legend class={texts.length === 0 ? "visually-hidden" : undefined}>{spec.label}</legend>
      {texts.length > 0 && (
        <>
          <p class="hint">{spec.hint}</p>
          <ol>
            {texts.map((text, index) => (
              <Part {...props} text={text} index={index} />
            ))}
          </ol>
        </>
      )}
      {texts.length < THREAD_PARTS_MAX && (
        <PartButton {...props} action="add" index={texts.length} label="Add a part (thread)" />
      )}
      <FieldProblems view={view} field={name} />
    </fieldset>
  );
};

const Part: FC<PartsProps & { text: string; index: number }> = (props) => {
  const { view, accountId, spec, texts, counts, text, index } = props;
  const id = partField(accountId, spec.key, index);
  const count = counts[index];
  const number = index + 2;
  return (
    <li>
      <label for={id}>{`Part ${number}`}</label>
      <TextArea view={view} name={optionField(accountId, spec.key)} id={id} value={text} rows={3} />
      <p class={`count ${count?.isTooLong ? "field-error" : "hint"}`} data-part-count={accountId}>
        {count?.text}
      </p>
      <FieldProblems view={view} field={id} />
      <p class="item-actions">
        <PartButton {...props} action="up" label="Move up" of={number} isOff={index === 0} />
        <PartButton {...props} action="down" label="Move down" of={number} isOff={index === texts.length - 1} />
        <PartButton {...props} action="remove" label="Remove" of={number} />
      </p>
      <PartMedia {...props} />
    </li>
  );
};

/** The files that a thread part shows, and the ways to choose them. */
const PartMedia: FC<PartsProps & { index: number }> = ({ view, accountId, spec, index }) => {
  const json = partMediaOf(view.form, accountId, spec)[index] ?? "";
  const list = {
    view,
    items: readPartMedia(json),
    owner: `part ${index + 2}`,
    field: partMediaField(accountId, spec.key, index),
    library: partLibraryField(accountId, spec.key, index),
    addresses: partMediaUrlField(accountId, spec.key, index),
    altText: partAltTextField(accountId, spec.key, index),
    intent: (action: string, place: number) => `part_media_${action}.${place}.${index}.${accountId}`,
    anchor: partField(accountId, spec.key, index),
  };
  return (
    <>
      <input type="hidden" name={optionField(accountId, partMediaKey(spec))} value={json} />
      {list.items.length > 0 && <ChosenMedia {...list} />}
      <details>
        <summary>{`${list.items.length === 0 ? "Media" : "More media"} for part ${index + 2}`}</summary>
        <MediaChoice {...list} />
      </details>
    </>
  );
};

const PartButton: FC<{
  accountId: string;
  action: "add" | "up" | "down" | "remove";
  index: number;
  label: string;
  of?: number;
  isOff?: boolean;
}> = ({ accountId, action, index, label, of, isOff = false }) => (
  <button
    class="secondary"
    name="intent"
    value={`part_${action}.${index}.${accountId}`}
    formaction={`/dashboard/posts/preview#account.${accountId}`}
    aria-label={of === undefined ? undefined : `${label}: part ${of}`}
    disabled={isOff}
  >
    {label}
  </button>
);
