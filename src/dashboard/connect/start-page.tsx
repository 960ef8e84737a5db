import type { FC } from "hono/jsx";
import type { OpenConnect } from "#accounts/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { Field, FormErrorNotice, PlatformBadge } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { shortenEmail } from "#dashboard/wording/shorten-email.ts";

/* The page before a login at a platform. It says for which user the account will be connected, because somebody else
   may have sent the link. It needs no script and no session. */

type ConnectForm = OpenConnect["methods"][number];
type ConnectField = ConnectForm["fields"][number];

/** The values of a refused form, which the page shows again for the same method. */
export interface EnteredValues {
  readonly method: string;
  readonly values: Readonly<Record<string, string>>;
  readonly error: FormError;
}

const ConnectInput: FC<{
  method: string;
  field: ConnectField;
  value: string | undefined;
  error: FormError | undefined;
}> = ({ method, field, value, error }) => (
  <Field
    name={field.name}
    id={`${method}-${field.name}`}
    label={field.label}
    hint={field.description}
    error={error}
    type={field.isSecret ? "password" : "text"}
    value={field.isSecret ? undefined : value}
    required={field.isRequired}
    maxlength={field.maxLength}
    placeholder={field.isSecret ? undefined : field.example}
    autocomplete={field.isSecret ? "current-password" : "on"}
    autocapitalize="none"
    spellcheck="false"
  />
);

const MethodForm: FC<{
  connect: OpenConnect;
  form: ConnectForm;
  action: string;
  login: string | undefined;
  entered: EnteredValues | undefined;
}> = ({ connect, form, action, login, entered }) => {
  const name = PLATFORM_NAMES[connect.platform];
  const heading = form.kind === "oauth" ? `Log in at ${name}` : "With an app password";
  const error = entered?.method === form.kind ? entered.error : undefined;
  const fieldNames = form.fields.map((field) => field.name);
  return (
    <form method="post" class="connect-method" action={action} aria-label={heading}>
      {connect.methods.length > 1 && <h2>{heading}</h2>}
      <input type="hidden" name="method" value={form.kind} />
      {login !== undefined && <input type="hidden" name="login" value={login} />}
      <FormErrorNotice error={error} fields={fieldNames} />
      {form.fields.map((field) => (
        <ConnectInput
          method={form.kind}
          field={field}
          value={(entered?.method === form.kind ? entered.values : connect.input)[field.name]}
          error={error}
        />
      ))}
      <div class="actions">
        <button>{form.kind === "oauth" ? `Continue to ${name}` : "Connect"}</button>
      </div>
    </form>
  );
};

export const ConnectStartPage: FC<{
  connect: OpenConnect;
  /** The URL of this page with its state, to which the form is sent. */
  action: string;
  login: string | undefined;
  /** Whether the signed-in user owns the workspace. The link of another user is refused. */
  isOwner: boolean;
  entered?: EnteredValues | undefined;
}> = ({ connect, action, login, isOwner, entered }) => {
  const name = PLATFORM_NAMES[connect.platform];
  const isKnownMethod = connect.methods.some(({ kind }) => kind === entered?.method);
  return (
    <AuthLayout
      title={`Connect ${name}`}
      script={false}
      footer="Almanac publishes only what is confirmed in that workspace. You can disconnect the account at any time."
    >
      <h1>
        <PlatformBadge platform={connect.platform} isDecorative /> Connect {name}
      </h1>
      <p>
        The account joins the workspace{" "}
        <em>
          <bdi>{connect.workspaceName}</bdi>
        </em>{" "}
        of {shortenEmail(connect.ownerEmail)}.
      </p>
      {!isOwner && (
        <p>Continue only if this is your workspace, or if you trust its owner to publish with your account.</p>
      )}
      {connect.choiceOfAccounts !== null && <p>{connect.choiceOfAccounts}</p>}
      {!isKnownMethod && <FormErrorNotice error={entered?.error} />}
      {connect.methods.map((form) => (
        <MethodForm connect={connect} form={form} action={action} login={login} entered={entered} />
      ))}
      {isOwner && (
        <p>
          <a href="/dashboard/accounts">Cancel</a>
        </p>
      )}
    </AuthLayout>
  );
};
