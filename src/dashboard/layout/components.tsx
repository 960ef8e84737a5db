import { type Child, createContext, type FC, useContext } from "hono/jsx";
import { type Platform, PLATFORM_BADGES, PLATFORM_NAMES } from "#core/platform.ts";
import type { Scope } from "#core/scope.ts";
import type { FormError } from "#dashboard/request/form.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { formatDate, formatDateTime } from "#dashboard/wording/display.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";

export const Notice: FC<{ kind: "success" | "error" | "info"; children?: Child }> = ({ kind, children }) => (
  <p class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
    {children}
  </p>
);

/** Forgets the text that was sent, before a browser shows what follows: nobody goes on to an old text. */
export const ForgetSentText: FC = () => <script src="/sent.js"></script>;

/** The error of the form as a whole; the error of a listed field is shown at the field instead. */
export const FormErrorNotice: FC<{ error: FormError | undefined; fields?: readonly string[] }> = ({
  error,
  fields = [],
}) =>
  error === undefined || (error.param !== undefined && fields.includes(error.param)) ? null : (
    <Notice kind="error">{toSentence(error.message)}</Notice>
  );

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly error?: FormError | undefined;
  readonly hint?: Child;
  /** Distinguishes fields of the same name in several forms of one page. */
  readonly id?: string;
  readonly [attribute: string]: unknown;
}

/** An input with its label, hint and error, associated for screen readers. */
export const Field: FC<FieldProps> = ({ name, label, error, hint, id = name, ...input }) => {
  const fieldError = error?.param === name ? error : undefined;
  const describedBy = [hint !== undefined && `${id}-hint`, fieldError && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        aria-describedby={describedBy || undefined}
        aria-invalid={fieldError ? "true" : undefined}
        {...input}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fieldError && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {toSentence(fieldError.message)}
        </p>
      )}
    </div>
  );
};

/** Tells password managers to which account the password of a form belongs. */
export const UsernameField: FC<{ email: string }> = ({ email }) => (
  <input type="text" name="username" autocomplete="username" aria-label="E-mail" value={email} hidden readonly />
);

/** Whether the person reads times with am and pm, as the language of the browser says. */
export const Hour12 = createContext(false);

/** A time in the user's time zone, with the exact time in the `datetime` attribute. */
export const DateTime: FC<{ value: number; timeZone: string; showTime?: boolean }> = ({
  value,
  timeZone,
  showTime = true,
}) => {
  const hour12 = useContext(Hour12);
  return (
    <time datetime={new Date(value).toISOString()}>
      {showTime ? formatDateTime({ timeZone, hour12 }, value) : formatDate(wallTimeAt(timeZone, value).date, "medium")}
    </time>
  );
};

/** A coloured square with letters. `isDecorative`: the platform's name is next to it. */
export const PlatformBadge: FC<{ platform: Platform; isDecorative?: boolean }> = ({
  platform,
  isDecorative = false,
}) => {
  const { letters, color } = PLATFORM_BADGES[platform];
  const label = isDecorative ? { "aria-hidden": "true" } : { role: "img", "aria-label": PLATFORM_NAMES[platform] };
  return (
    <svg class="platform-badge" viewBox="0 0 20 20" {...label}>
      <rect width="20" height="20" rx="5" fill={color} />
      <text x="10" y="14" text-anchor="middle" fill="#fff">
        {letters}
      </text>
    </svg>
  );
};

const SCOPE_LABELS = {
  "accounts:read": "See your connected social accounts",
  "accounts:write": "Connect and disconnect social accounts",
  "posts:read": "See your posts and calendar",
  "posts:write": "Schedule, change and cancel posts, and upload media",
  "workspaces:read": "See your workspaces and their webhooks",
  "workspaces:write": "Create and switch workspaces, and send events to webhooks",
} as const satisfies Record<Scope, string>;

/** A checkbox per scope, with a description and the scope name. */
export const ScopeCheckboxes: FC<{
  legend: string;
  scopes: readonly Scope[];
  selected: readonly string[];
  error?: FormError | undefined;
}> = ({ legend, scopes, selected, error }) => (
  <fieldset class="checkbox-group">
    <legend>{legend}</legend>
    {scopes.map((scope) => (
      <label class="checkbox">
        <input type="checkbox" name="scope" value={scope} checked={selected.includes(scope)} />
        <span>
          {SCOPE_LABELS[scope]} <code>{scope}</code>
        </span>
      </label>
    ))}
    {(error?.param === "scopes" || error?.param === "scope") && (
      <p class="field-error" role="alert">
        {toSentence(error.message)}
      </p>
    )}
  </fieldset>
);

/** Text with a copy button, which the script reveals if the browser supports it. */
export const CopyableText: FC<{ text: string; label: string; block?: boolean }> = ({ text, label, block = false }) => (
  <div class={block ? "copy block" : "copy"} data-copy>
    {block ? (
      <pre tabindex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
    ) : (
      <code>{text}</code>
    )}
    <button type="button" class="secondary" hidden aria-label={`Copy ${label}`}>
      Copy
    </button>
  </div>
);

/** A form for an irreversible action, with a confirmation step that needs no script. */
export const ConfirmForm: FC<{
  action: string;
  description: string;
  verb: string;
  target: string;
  /** The page as it is without the action, for a button that leaves everything as it is. */
  keepHref?: string;
  children?: Child;
}> = (props) => (
  <details class="confirm">
    <summary aria-label={`${props.verb} ${props.target}`}>{props.verb}…</summary>
    <form method="post" action={props.action}>
      <p>{props.description}</p>
      {props.children}
      <button class="danger">{`${props.verb} ${props.target}`}</button>
      {props.keepHref !== undefined && (
        <a class="button secondary" href={props.keepHref}>
          Keep it
        </a>
      )}
    </form>
  </details>
);
