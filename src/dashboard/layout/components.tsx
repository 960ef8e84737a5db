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

/**
 * A script that deletes the form's stored text after it was sent. Otherwise the composer would offer the old text
 * again.
 */
export const ForgetSentText: FC = () => <script src="/sent.js"></script>;

/** Shows the error of a form as a whole. An error that belongs to one of `fields` is shown at that field instead. */
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
  /** The id of the input. It differs from the name if several forms of the page have a field with this name. */
  readonly id?: string;
  readonly [attribute: string]: unknown;
}

/** An input with its label, hint and error, which it references for screen readers. */
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

/** Tells password managers to which account a form's password belongs. */
export const UsernameField: FC<{ email: string }> = ({ email }) => (
  <input type="text" name="username" autocomplete="username" aria-label="E-mail" value={email} hidden readonly />
);

/** Whether times are shown with am and pm, as the browser's language suggests. */
export const Hour12 = createContext(false);

/** A time in the user's zone. Programs find the exact time in the `datetime` attribute. */
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

/**
 * A platform's badge: a coloured square with letters. Set `isDecorative` if the platform's name is next to it, so that
 * screen readers skip the badge.
 */
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

/** A checkbox for each permission, with its description and its name in the API. */
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

/** Text with a copy button. The script shows the button only if the browser can copy. */
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

/** A form for an action that cannot be undone. It asks for confirmation, without a script. */
export const ConfirmForm: FC<{
  action: string;
  description: string;
  verb: string;
  target: string;
  /** The address of the page without the action, for a button that cancels. */
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
