import type { Child, FC } from "hono/jsx";
import type { Platform } from "#core/platform.ts";
import { optionScopesOf } from "#platforms/extra-scopes.ts";
import type { OptionAvailability, OptionSwitch } from "#platforms/contract.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import type { PartCount } from "./caption-count.ts";
import { mediaCountOfAccount, mediaTypesOfAccount } from "#dashboard/post-form/account-extras.ts";
import { type ComposerView, optionSpecsOf, findAccount } from "./composer-view.ts";
import { describe, FieldProblems, FileUpload, Labelled } from "./fields.tsx";
import { optionField } from "#dashboard/post-form/post-form.ts";
import { isAskedFor } from "#dashboard/post-form/read-options.ts";
import { isSwitchOn, textsOfField } from "#dashboard/post-form/read-post-form.ts";
import { ThreadParts } from "./thread-parts.tsx";

interface OptionProps {
  readonly view: ComposerView;
  readonly accountId: string;
  readonly spec: OptionSpec;
  /** The texts that the field shows. If the person chose nothing, the platform's default. */
  readonly texts: readonly string[];
  readonly availability: OptionAvailability | undefined;
}

function fieldName({ accountId, spec }: Pick<OptionProps, "accountId" | "spec">): string {
  return optionField(accountId, spec.key);
}

const TextOption: FC<OptionProps> = (props) => {
  const { view, spec, texts } = props;
  const name = fieldName(props);
  return (
    <Labelled view={view} field={name} label={spec.label} hint={spec.hint}>
      {spec.input === "lines" || spec.input === "tags" ? (
        <textarea
          id={name}
          name={name}
          rows={3}
          spellcheck={spec.input === "lines"}
          {...describe(view, name, spec.hint !== undefined)}
        >
          {texts.at(-1) ?? ""}
        </textarea>
      ) : (
        <input
          id={name}
          name={name}
          type="text"
          value={texts.at(-1) ?? ""}
          {...describe(view, name, spec.hint !== undefined)}
        />
      )}
      {spec.input === "pdf" && (
        <FileUpload view={view} label="Or upload a PDF" into={name} accept="application/pdf,.pdf" />
      )}
    </Labelled>
  );
};

/**
 * Why a checkbox cannot be ticked: the account does not allow it, or another chosen option excludes it. Undefined if it
 * can.
 */
function blockedBy({ view, accountId, spec, availability }: OptionProps): string | undefined {
  const { excludes } = spec;
  const chosen = excludes && view.form.options.get(accountId)?.get(excludes.option)?.at(-1);
  return availability?.disabled[spec.key] ?? (excludes && chosen === excludes.value ? excludes.sentence : undefined);
}

/**
 * The attribute that makes the script reload an account's fields when this one changes, because one option excludes the
 * other.
 */
function refreshes(view: ComposerView, accountId: string, spec: OptionSpec): string | undefined {
  const isPart = optionSpecsOf(view, accountId).some(
    (box) => box.excludes && (box.key === spec.key || box.excludes.option === spec.key),
  );
  return isPart ? "#accounts-chosen" : undefined;
}

/** A checkbox. Browsers send nothing for an unticked box, so a hidden field sends `false`. */
const CheckboxOption: FC<OptionProps> = (props) => {
  const { view, accountId, spec, texts } = props;
  const name = fieldName(props);
  const disabled = blockedBy(props);
  const hint = disabled ?? spec.hint;
  return (
    <div class="field">
      <input type="hidden" name={name} value="false" />
      <label class="checkbox" title={disabled}>
        <input
          id={name}
          type="checkbox"
          name={name}
          value="true"
          checked={disabled === undefined && texts.at(-1) === "true"}
          disabled={disabled !== undefined}
          data-refresh={refreshes(view, accountId, spec)}
          {...describe(view, name, hint !== undefined)}
        />
        <span>{spec.label}</span>
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {spec.whenTicked !== undefined && <p class="notice info when-ticked">{spec.whenTicked}</p>}
      <FieldProblems view={view} field={name} />
    </div>
  );
};

/** The values of a field that a ticked checkbox excludes, each with a sentence that says why. */
function excludedValues({ view, accountId, spec }: OptionProps): ReadonlyMap<string, string> {
  const specs = optionSpecsOf(view, accountId);
  return new Map(
    specs.flatMap((box) => {
      const isTicked =
        textsOfField(view.form, accountId, box).at(-1) === "true" &&
        (!box.behind || isSwitchOn(view.form, accountId, box.behind, specs));
      return isTicked && box.excludes?.option === spec.key ? [[box.excludes.value, box.excludes.sentence]] : [];
    }),
  );
}

const ChoiceOption: FC<OptionProps> = (props) => {
  const { view, accountId, spec, texts, availability } = props;
  const name = fieldName(props);
  const { choices = {} } = spec;
  const excluded = excludedValues(props);
  const hint = [...excluded.values()][0] ?? spec.hint;
  const chosen = texts.at(-1) ?? "";
  const allowed = availability?.choices[spec.key];
  const values = [
    ...("" in choices ? [""] : []),
    ...(spec.type === "boolean" ? ["true", "false"] : spec.values).filter((value) => allowed?.includes(value) ?? true),
  ];
  return (
    <Labelled view={view} field={name} label={spec.label} hint={hint}>
      <select
        id={name}
        name={name}
        // The sentence also stands here, because not every browser shows the title of an `<option>`.
        title={[...excluded.values()][0]}
        data-refresh={refreshes(view, accountId, spec)}
        {...describe(view, name, hint !== undefined)}
      >
        {values.map((value) => (
          // Browsers do not send disabled values. So a chosen value stays enabled, and the checkbox that excludes it is
          // disabled.
          <option
            value={value}
            selected={chosen === value}
            disabled={excluded.has(value) && chosen !== value}
            title={excluded.get(value)}
          >
            {choices[value] ?? value}
          </option>
        ))}
      </select>
    </Labelled>
  );
};

const BoardsOption: FC<OptionProps> = (props) => {
  const { view, accountId, spec, texts } = props;
  const name = fieldName(props);
  const result = view.boards.get(accountId);
  const boards = result?.ok ? result.boards : [];
  // Keep a chosen board that the platform does not list, until the person removes it.
  const unlisted = texts.filter((id) => id !== "" && !boards.some((board) => board.id === id));
  return (
    <fieldset id={name} {...describe(view, name)}>
      <legend>{spec.label}</legend>
      {spec.hint !== undefined && <p class="hint">{spec.hint}</p>}
      {result?.ok === false && (
        <p class="field-error">{`The boards could not be loaded: ${result.message} “Update form” asks again.`}</p>
      )}
      {result?.ok === true && boards.length === 0 && <p class="hint">This account has no boards yet.</p>}
      <div class="choices">
        {[...boards, ...unlisted.map((id) => ({ id, name: `Board ${id}` }))].map(({ id, name: label }) => (
          <label class="checkbox">
            <input type="checkbox" name={name} value={id} checked={texts.includes(id)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <FieldProblems view={view} field={name} />
    </fieldset>
  );
};

/** A text field for each medium, in the order of the media. */
const PerMediaOption: FC<OptionProps> = (props) => {
  const { view, accountId, spec, texts } = props;
  const name = fieldName(props);
  const count = mediaCountOfAccount(view.form, accountId);
  return (
    <fieldset id={name} {...describe(view, name)}>
      <legend>{`${spec.label}${count === 1 ? "" : "s"}`}</legend>
      {spec.hint !== undefined && <p class="hint">{spec.hint}</p>}
      {Array.from({ length: count }, (_, index) => (
        <input type="text" name={name} value={texts[index] ?? ""} aria-label={`${spec.label} of item ${index + 1}`} />
      ))}
      <FieldProblems view={view} field={name} />
    </fieldset>
  );
};

const OptionInput: FC<OptionProps> = (props) => {
  const { spec } = props;
  if (spec.type === "texts" && spec.input !== "words" && spec.input !== "tags") {
    return spec.input === "boards" ? <BoardsOption {...props} /> : <PerMediaOption {...props} />;
  }
  if (spec.type === "boolean" && spec.choices === undefined) {
    return <CheckboxOption {...props} />;
  }
  return spec.type === "boolean" || spec.type === "choice" ? <ChoiceOption {...props} /> : <TextOption {...props} />;
};

/** What the field of an unset option shows. Undefined if the platform or the account decides the value. */
function defaultText({ defaultValue }: OptionSpec): string | undefined {
  return defaultValue === undefined || typeof defaultValue === "object" ? undefined : String(defaultValue);
}

/** Whether the person has set the option to something other than its default. */
function isChanged({ form }: ComposerView, accountId: string, spec: OptionSpec): boolean {
  const text = textsOfField(form, accountId, spec).find((one) => one !== "") ?? "";
  return text !== "" && text !== (defaultText(spec) ?? (spec.type === "boolean" ? "false" : ""));
}

function shownTexts(view: ComposerView, accountId: string, spec: OptionSpec): readonly string[] {
  const texts = textsOfField(view.form, accountId, spec);
  const byDefault = texts.length === 0 && spec.mustChoose === undefined ? defaultText(spec) : undefined;
  return byDefault === undefined ? texts : [byDefault];
}

/** Hidden fields that keep entered texts while their visible field is not shown. */
export const HiddenTexts: FC<{ name: string; texts: readonly string[] }> = ({ name, texts }) => (
  <>
    {texts.map((text) => (
      <input type="hidden" name={name} value={text} />
    ))}
  </>
);

/** A checkbox and the options that it reveals. A browser that cannot hide them shows them always. */
const SwitchedOptions: FC<{
  view: ComposerView;
  name: string;
  question: OptionSwitch;
  group: string | undefined;
  isOn: boolean;
  refresh: string | undefined;
  children?: Child;
}> = ({ view, name, question, group, isOn, refresh, children }) => (
  <fieldset class="switched-options" id={name} {...describe(view, name)}>
    {group !== undefined && <legend>{group}</legend>}
    <input type="hidden" name={name} value="false" />
    <label class="checkbox">
      <input type="checkbox" name={name} value="true" checked={isOn} data-switch="" data-refresh={refresh} />
      <span>{question.label}</span>
    </label>
    <div class="switched">{children}</div>
    <FieldProblems view={view} field={name} />
  </fieldset>
);

/**
 * Options that need a permission which this installation's logins do not ask for. The form shows them only if one was
 * already set.
 */
function unavailableOptions({ services }: ComposerView, platform: Platform): ReadonlySet<string> {
  const adapter = services.adapterFor(platform);
  const scopes = adapter ? optionScopesOf(adapter, services.config.app(platform)?.settings) : [];
  return new Set(scopes.filter(({ isAvailable }) => !isAvailable).map(({ option }) => option));
}

/** The parts of a thread. They are texts of the post, so they are not among its options. */
export const ThreadInputs: FC<{ view: ComposerView; accountId: string; counts: readonly PartCount[] }> = (props) => (
  <>
    {optionSpecsOf(props.view, props.accountId)
      .filter(({ input }) => input === "parts")
      .map((spec) => (
        <ThreadParts {...props} spec={spec} texts={textsOfField(props.view.form, props.accountId, spec)} />
      ))}
  </>
);

export const OptionInputs: FC<{ view: ComposerView; accountId: string }> = ({ view, accountId }) => {
  const account = findAccount(view.data, accountId);
  const creator = view.creators.get(accountId);
  const form = account && view.services.adapterFor(account.platform)?.optionForm;
  const availability = creator && form?.availability?.(creator);
  const mediaTypes = mediaTypesOfAccount(view.form, accountId);
  const unavailable = account ? unavailableOptions(view, account.platform) : new Set<string>();
  const isShown = (spec: OptionSpec) =>
    isAskedFor(spec, mediaTypes) &&
    !(unavailable.has(spec.key) && textsOfField(view.form, accountId, spec).length === 0) &&
    !(spec.input === "per_media" && mediaCountOfAccount(view.form, accountId) === 0);
  const specs = optionSpecsOf(view, accountId).filter(({ input }) => input !== "parts");
  const shown = specs.filter(isShown);
  const inputOf = (spec: OptionSpec) => (
    <OptionInput
      view={view}
      accountId={accountId}
      spec={spec}
      texts={shownTexts(view, accountId, spec)}
      availability={availability}
    />
  );
  const changed = shown.filter((spec) => isChanged(view, accountId, spec)).length;
  // Keep the group open if it contains a required option or a problem, so that the person sees it.
  const isOpen = shown.some(
    (spec) =>
      ((spec.isRequired || spec.mustChoose !== undefined) && !isChanged(view, accountId, spec)) ||
      view.problems.some(({ field }) => field.startsWith(optionField(accountId, spec.key))),
  );
  const fields = (
    <>
      {shown.map((spec, index) => {
        const { behind, group } = spec;
        const before = shown[index - 1];
        if (behind) {
          return (
            behind.key !== before?.behind?.key && (
              <SwitchedOptions
                view={view}
                name={optionField(accountId, behind.key)}
                question={behind}
                group={group}
                isOn={isSwitchOn(view.form, accountId, behind, specs)}
                refresh={
                  specs.some((other) => other.behind?.key === behind.key && other.excludes)
                    ? "#accounts-chosen"
                    : undefined
                }
              >
                {shown.filter((other) => other.behind?.key === behind.key).map(inputOf)}
              </SwitchedOptions>
            )
          );
        }
        return (
          <>
            {group !== undefined && group !== before?.group && <p class="option-group">{group}</p>}
            {inputOf(spec)}
          </>
        );
      })}
    </>
  );
  return (
    <>
      {shown.length > 0 && (
        <details class="account-options" open={isOpen}>
          <summary>{changed === 0 ? "Options" : `Options (${changed} changed)`}</summary>
          {fields}
        </details>
      )}
      {specs
        .filter((spec) => !isShown(spec))
        .map((spec) => (
          <HiddenTexts name={optionField(accountId, spec.key)} texts={textsOfField(view.form, accountId, spec)} />
        ))}
    </>
  );
};
