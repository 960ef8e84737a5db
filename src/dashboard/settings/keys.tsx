import type { FC } from "hono/jsx";
import {
  type ApiKey,
  type CreatedKey,
  createKey,
  CURRENT_PASSWORD,
  KEY_DAYS_DEFAULT,
  KEY_DAYS_MAX,
  listKeys,
  requireRecentAuthentication,
  revokeKey,
  rotateKey,
  setKeyConfirms,
  type SignedInUser,
} from "#auth/index.ts";
import { type Scope, SCOPES } from "#core/scope.ts";
import { ApiAccessTabs } from "#dashboard/layout/api-access-tabs.tsx";
import { WorkspaceChoice, WorkspaceNote } from "#dashboard/layout/workspace-choice.tsx";
import { AskFirstForm, ConfirmsChoice, ConfirmsNote } from "#dashboard/layout/confirms.tsx";
import { withdrawRequestsOfRevoked } from "#confirming/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import {
  ConfirmForm,
  CopyableText,
  Field,
  DateTime,
  Notice,
  FormErrorNotice,
  ScopeCheckboxes,
} from "#dashboard/layout/components.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";

const LIFETIME_DAYS = [30, KEY_DAYS_DEFAULT, 180, KEY_DAYS_MAX];

const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(":read"));

/** Common combinations of permissions. Any other combination is chosen permission by permission. */
const PRESETS: readonly { id: string; label: string; description: string; scopes: readonly Scope[] }[] = [
  {
    id: "read",
    label: "Read only",
    description: "See accounts, posts and workspaces, and change nothing.",
    scopes: READ_SCOPES,
  },
  {
    id: "schedule",
    label: "Schedule posts",
    description: "See everything; schedule, change and cancel posts, and upload media.",
    scopes: [...READ_SCOPES, "posts:write"],
  },
  {
    id: "everything",
    label: "Everything",
    description: "Also connect and disconnect accounts, and create and switch workspaces.",
    scopes: SCOPES,
  },
];
const CHOSEN_SCOPES = "chosen";

interface KeyFormValues {
  readonly name: string;
  /** The id of a preset, or `chosen` for the ticked permissions. */
  readonly access: string;
  readonly scopes: readonly string[];
  readonly days: string;
  readonly confirms: string;
  /** The only workspace of the key; empty for all. */
  readonly workspace: string;
}

/** The initial values of the form. A new key can only read, unless the user chooses more. */
const DEFAULT_VALUES: KeyFormValues = {
  name: "",
  access: "read",
  scopes: READ_SCOPES,
  days: String(KEY_DAYS_DEFAULT),
  confirms: "self",
  workspace: "",
};

/** The permissions that the form requests. Browsers send ticked ones with a preset too, but then they do not count. */
function requestedScopes({ access, scopes }: KeyFormValues): readonly string[] {
  return PRESETS.find(({ id }) => id === access)?.scopes ?? scopes;
}

const AccessOption: FC<{ id: string; label: string; description: string; selected: string }> = (props) => (
  <label class="choice">
    <input type="radio" name="access" value={props.id} checked={props.id === props.selected} />
    <span>
      <b>{props.label}</b>
      <small>{props.description}</small>
    </span>
  </label>
);

/**
 * The fields for what a key may do. The style sheet shows the checkboxes only for the last choice, and who confirms
 * only for keys that write. So no script is needed.
 */
const AccessFields: FC<{ values: KeyFormValues; error: FormError | undefined }> = ({ values, error }) => (
  <div class="access-fields">
    <fieldset>
      <legend>What it may do</legend>
      {PRESETS.map(({ id, label, description }) => (
        <AccessOption id={id} label={label} description={description} selected={values.access} />
      ))}
      <AccessOption
        id={CHOSEN_SCOPES}
        label="Choose permissions"
        description="Exactly those that the program needs."
        selected={values.access}
      />
    </fieldset>
    <ScopeCheckboxes legend="Permissions" scopes={SCOPES} selected={values.scopes} error={error} />
    <ConfirmsChoice order={["self", "person"]} holder="The key's holder" selected={values.confirms} error={error} />
  </div>
);

const ExpirySelect: FC<{ days: string; error: FormError | undefined }> = ({ days, error }) => (
  <div class="field">
    <label for="expires_in_days">Expires</label>
    <select id="expires_in_days" name="expires_in_days">
      {LIFETIME_DAYS.map((count) => (
        <option value={String(count)} selected={days === String(count)}>{`in ${count} days`}</option>
      ))}
      <option value="never" selected={days === "never"}>
        never
      </option>
    </select>
    {error?.param === "expires_in_days" && (
      <p class="field-error" role="alert">
        {error.message}
      </p>
    )}
  </div>
);

const NewKeyNotice: FC<{ created: CreatedKey; rotated: boolean }> = ({ created, rotated }) => (
  <section class="card new-key" aria-labelledby="created-key">
    <h2 id="created-key">{rotated ? "Your new key" : "Your key"}</h2>
    <p>
      Copy it now: <b>it will not be shown again.</b>
      {rotated && " The old key keeps working for 24 hours."}
    </p>
    <CopyableText text={created.key} label="the key" />
  </section>
);

type KeyState = "active" | "expiring" | "expired" | "revoked";

function keyState(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== null) {
    return "revoked";
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    return "expired";
  }
  return key.expiresAt !== null && key.expiresAt - now < 7 * 86_400_000 ? "expiring" : "active";
}

const KEY_STATE_LABELS = {
  active: "Active",
  expiring: "Expires soon",
  expired: "Expired",
  revoked: "Revoked",
} as const satisfies Record<KeyState, string>;

const KeyExpiry: FC<{ apiKey: ApiKey; state: KeyState; timeZone: string }> = ({ apiKey, state, timeZone }) => {
  const endedAt = apiKey.revokedAt ?? apiKey.expiresAt;
  if (endedAt === null) {
    return <>No expiry</>;
  }
  return (
    <>
      {state === "revoked" || state === "expired" ? KEY_STATE_LABELS[state] : "Expires"}{" "}
      <DateTime value={endedAt} timeZone={timeZone} />
    </>
  );
};

const KeyRow: FC<{ apiKey: ApiKey; signedIn: SignedInUser; now: number }> = ({ apiKey, signedIn, now }) => {
  const { timeZone } = signedIn;
  const state = keyState(apiKey, now);
  const usable = state === "active" || state === "expiring";
  const writesPosts = apiKey.scopes.includes("posts:write");
  return (
    <li class={`item ${state}`}>
      <div class="item-header">
        <h3>{apiKey.name}</h3>
        <span class={`tag ${state}`}>{KEY_STATE_LABELS[state]}</span>
      </div>
      <p class="item-meta">
        <code>{apiKey.hint}</code>
        <span>
          Created <DateTime value={apiKey.createdAt} timeZone={timeZone} showTime={false} />
        </span>
        <span>
          {apiKey.lastUsedAt === null ? (
            "Never used"
          ) : (
            <>
              Used <DateTime value={apiKey.lastUsedAt} timeZone={timeZone} />
            </>
          )}
        </span>
        <span>
          <KeyExpiry apiKey={apiKey} state={state} timeZone={timeZone} />
        </span>
        <WorkspaceNote workspaceId={apiKey.workspaceId} workspaces={signedIn.workspaces} />
        {usable && writesPosts && <ConfirmsNote confirms={apiKey.confirms} holder="The key's holder" />}
      </p>
      <ScopeList scopes={apiKey.scopes} />
      {usable && (
        <div class="item-actions">
          {writesPosts &&
            (apiKey.confirms === "self" ? (
              <AskFirstForm action={`/dashboard/keys/${apiKey.id}/confirms`} target={apiKey.name} />
            ) : (
              <ConfirmForm
                action={`/dashboard/keys/${apiKey.id}/confirms`}
                verb="Stop asking"
                target={`about posts of ${apiKey.name}`}
                description="Whoever holds the key then schedules and changes posts without asking you."
              >
                <input type="hidden" name="confirms" value="self" />
                <ReauthenticationFields signedIn={signedIn} id={`confirms-password-${apiKey.id}`} />
              </ConfirmForm>
            ))}
          <ConfirmForm
            action={`/dashboard/keys/${apiKey.id}/rotate`}
            verb="Rotate"
            target={apiKey.name}
            description="Creates a new key with the same permissions and workspace. The old key keeps working for 24 hours."
          >
            <ReauthenticationFields signedIn={signedIn} id={`password-${apiKey.id}`} />
          </ConfirmForm>
          <ConfirmForm
            action={`/dashboard/keys/${apiKey.id}/revoke`}
            verb="Revoke"
            target={apiKey.name}
            description="Calls with this key are refused immediately. This cannot be undone."
          />
        </div>
      )}
    </li>
  );
};

export const ScopeList: FC<{ scopes: readonly Scope[] }> = ({ scopes }) => (
  <ul class="scopes" aria-label="Permissions">
    {scopes.map((scope) => (
      <li>
        <code>{scope}</code>
      </li>
    ))}
  </ul>
);

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  revoked: "The key is revoked.",
  confirms: "Saved: it applies from the next call with the key on.",
};

const KeysPage: FC<{
  signedIn: SignedInUser;
  keys: readonly ApiKey[];
  now: number;
  values: KeyFormValues;
  error?: FormError | undefined;
  changeError?: FormError | undefined;
  created?: { key: CreatedKey; rotated: boolean } | undefined;
  done?: string | undefined;
}> = ({ signedIn, keys, now, values, error, changeError, created, done }) => (
  <DashboardLayout
    title="AI & API"
    section="access"
    assets={{ styles: ["settings"] }}
    signedIn={signedIn}
    lead="Give programs and agents access to your calendar, each with only the permissions it needs."
  >
    <ApiAccessTabs current="keys" />
    <FormErrorNotice error={changeError} />
    {DONE_MESSAGES[done ?? ""] !== undefined && <Notice kind="success">{DONE_MESSAGES[done ?? ""]}</Notice>}
    {created && <NewKeyNotice created={created.key} rotated={created.rotated} />}
    <div class="two-columns">
      <section aria-labelledby="keys">
        <h2 id="keys">API keys</h2>
        {keys.length === 0 ? (
          <p class="empty-state">No keys yet. Create one for each program, so that you can revoke it separately.</p>
        ) : (
          <ul class="items">
            {keys.map((apiKey) => (
              <KeyRow apiKey={apiKey} signedIn={signedIn} now={now} />
            ))}
          </ul>
        )}
      </section>
      <section class="card" aria-labelledby="new-key">
        <h2 id="new-key">New key</h2>
        <FormErrorNotice
          error={error}
          fields={["name", "scopes", "confirms", "workspace", "expires_in_days", "current_password"]}
        />
        <form method="post" action="/dashboard/keys">
          <Field
            name="name"
            label="Name"
            required
            maxlength={60}
            value={values.name}
            hint="Where you use the key, for example “nightly import”."
            error={error}
          />
          <AccessFields values={values} error={error} />
          <WorkspaceChoice workspaces={signedIn.workspaces} selected={values.workspace} error={error} />
          <ExpirySelect days={values.days} error={error} />
          <ReauthenticationFields signedIn={signedIn} id="current_password" error={error} />
          <button>Create key</button>
        </form>
      </section>
    </div>
  </DashboardLayout>
);

async function renderKeysPage(
  c: PageContext,
  more: {
    values?: KeyFormValues;
    error?: FormError;
    changeError?: FormError;
    created?: { key: CreatedKey; rotated: boolean };
  },
) {
  const { services, signedIn } = c.var;
  const keys = await listKeys(services, { userId: signedIn.actor.userId });
  const props = {
    signedIn,
    keys,
    now: services.clock.now(),
    values: more.values ?? DEFAULT_VALUES,
    done: c.req.query("done"),
  };
  const { error, changeError, created } = more;
  return renderPage(
    c,
    <KeysPage {...props} error={error} changeError={changeError} created={created} />,
    error === undefined && changeError === undefined ? 200 : 400,
  );
}

/** Handles `GET /dashboard/keys`. */
export function showKeys(c: PageContext): Promise<Response> {
  return renderKeysPage(c, {});
}

/** Handles `POST /dashboard/keys`. Only this response contains the new key. */
export async function doCreateKey(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const days = form.text("expires_in_days");
  const access = form.text("access") || CHOSEN_SCOPES;
  const confirms = form.text("confirms") || DEFAULT_VALUES.confirms;
  const workspace = form.text("workspace");
  const values: KeyFormValues = {
    name: form.text("name"),
    access,
    scopes: form.all("scope"),
    days,
    confirms,
    workspace,
  };
  const created = await runUseCase(async () => {
    const { services, signedIn } = c.var;
    await requireRecentAuthentication(services, signedIn, { password: form.text(CURRENT_PASSWORD) });
    return createKey(services, {
      userId: signedIn.actor.userId,
      name: values.name,
      scopes: requestedScopes(values),
      confirms,
      workspaceId: workspace || null,
      expiresInDays: days === "never" ? null : Number(days || KEY_DAYS_DEFAULT),
      limit: signedIn.actor.limits.apiKeys,
    });
  });
  return created.ok
    ? renderKeysPage(c, { created: { key: created.value, rotated: false } })
    : renderKeysPage(c, { values, error: created.error });
}

/** Handles `POST /dashboard/keys/:id/rotate`. */
export async function doRotateKey(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const form = await readForm(c);
  const confirmed = await runUseCase(() =>
    requireRecentAuthentication(services, signedIn, { password: form.text(CURRENT_PASSWORD) }),
  );
  if (!confirmed.ok) {
    return renderKeysPage(c, { changeError: confirmed.error });
  }
  const { userId, limits } = signedIn.actor;
  const id = c.req.param("id") ?? "";
  const rotated = await runUseCase(() => rotateKey(services, { userId, id, limit: limits.apiKeys }), "quota_exceeded");
  return rotated.ok
    ? renderKeysPage(c, { created: { key: rotated.value, rotated: true } })
    : renderKeysPage(c, { changeError: rotated.error });
}

/**
 * Handles `POST /dashboard/keys/:id/confirms`. A key that confirms itself can do more, so this needs the same sign-in
 * as a new key.
 */
export async function doSetKeyConfirms(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const form = await readForm(c);
  const confirms = form.text("confirms");
  if (confirms !== "person") {
    const confirmed = await runUseCase(() =>
      requireRecentAuthentication(services, signedIn, { password: form.text(CURRENT_PASSWORD) }),
    );
    if (!confirmed.ok) {
      return renderKeysPage(c, { changeError: confirmed.error });
    }
  }
  await setKeyConfirms(services, { userId: signedIn.actor.userId, id: c.req.param("id") ?? "", confirms });
  return c.redirect("/dashboard/keys?done=confirms", 303);
}

/** Handles `POST /dashboard/keys/:id/revoke` and `DELETE /dashboard/keys/:id`. */
export async function doRevokeKey(c: PageContext): Promise<Response> {
  const { userId } = c.var.signedIn.actor;
  await revokeKey(c.var.services, { userId, id: c.req.param("id") ?? "" });
  await withdrawRequestsOfRevoked(c.var.services, { userId });
  return c.redirect("/dashboard/keys?done=revoked", 303);
}
