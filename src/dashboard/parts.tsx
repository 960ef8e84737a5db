import type { Child, FC } from "hono/jsx";
import type { Scope } from "#core/scope.ts";

/** What went wrong with a form, in the words of the verb that refused it; `param` names the field it belongs to. */
export interface FormProblem {
  readonly message: string;
  readonly param?: string | undefined;
}

export const Notice: FC<{ kind: "good" | "bad" | "note"; children?: Child }> = ({ kind, children }) => (
  <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {children}
  </p>
);

/** A sentence starts with a capital; verbs write theirs for programs. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The problem of a form as a whole; one that belongs to a field stands at the field. */
export const Problem: FC<{ problem: FormProblem | undefined; fields?: readonly string[] }> = ({
  problem,
  fields = [],
}) =>
  problem === undefined || (problem.param !== undefined && fields.includes(problem.param)) ? null : (
    <Notice kind="bad">{sentence(problem.message)}</Notice>
  );

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly problem?: FormProblem | undefined;
  readonly hint?: Child;
  /** Sets fields of several forms on one page apart. */
  readonly id?: string;
  readonly [attribute: string]: unknown;
}

/** An input with its label, hint and problem, tied together for whoever cannot see them stand together. */
export const Field: FC<FieldProps> = ({ name, label, problem, hint, id = name, ...input }) => {
  const mine = problem?.param === name ? problem : undefined;
  const described = [hint !== undefined && `${id}-hint`, mine && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        aria-describedby={described || undefined}
        aria-invalid={mine ? "true" : undefined}
        {...input}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {mine && (
        <p class="wrong" id={`${id}-problem`} role="alert">
          {sentence(mine.message)}
        </p>
      )}
    </div>
  );
};

/** An instant in the reader's zone, with the exact one for machines. */
export const Instant: FC<{ at: number; timeZone: string; time?: boolean }> = ({ at, timeZone, time = true }) => (
  <time datetime={new Date(at).toISOString()}>
    {new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      ...(time ? { timeStyle: "short" } : {}),
      timeZone,
    }).format(at)}
  </time>
);

const SCOPE_WORDS = {
  "accounts:read": "See your connected social accounts",
  "accounts:write": "Connect and disconnect social accounts",
  "posts:read": "See your posts and calendar",
  "posts:write": "Schedule, change and cancel posts, and upload media",
  "workspaces:read": "See your workspaces and webhooks",
  "workspaces:write": "Create and switch workspaces, and manage webhooks",
} as const satisfies Record<Scope, string>;

/** A box per scope, in words first and as the API calls it second. */
export const ScopeBoxes: FC<{
  legend: string;
  scopes: readonly Scope[];
  ticked: readonly string[];
  problem?: FormProblem | undefined;
}> = ({ legend, scopes, ticked, problem }) => (
  <fieldset class="boxes">
    <legend>{legend}</legend>
    {scopes.map((scope) => (
      <label class="box">
        <input type="checkbox" name="scope" value={scope} checked={ticked.includes(scope)} />
        <span>
          {SCOPE_WORDS[scope]} <code>{scope}</code>
        </span>
      </label>
    ))}
    {(problem?.param === "scopes" || problem?.param === "scope") && (
      <p class="wrong" role="alert">
        {sentence(problem.message)}
      </p>
    )}
  </fieldset>
);

/** Text to take along; the button appears where a script can copy it. */
export const Copyable: FC<{ text: string; label: string; block?: boolean }> = ({ text, label, block = false }) => (
  <div class={block ? "copy block" : "copy"} data-copy>
    {block ? (
      <pre tabindex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
    ) : (
      <code>{text}</code>
    )}
    <button type="button" class="quiet" hidden aria-label={`Copy ${label}`}>
      Copy
    </button>
  </div>
);

/** Something that cannot be undone asks once more, without a script. */
export const Confirmed: FC<{ action: string; ask: string; verb: string; what: string; children?: Child }> = (props) => (
  <details class="confirm">
    <summary aria-label={`${props.verb} ${props.what}`}>{props.verb}…</summary>
    <form method="post" action={props.action}>
      <p>{props.ask}</p>
      {props.children}
      <button class="danger">{`${props.verb} ${props.what}`}</button>
    </form>
  </details>
);
