import type { FC } from "hono/jsx";
import {
  type ApiKey,
  type CreatedKey,
  createKey,
  KEY_DAYS_DEFAULT,
  KEY_DAYS_MAX,
  listKeys,
  revokeKey,
  rotateKey,
  type SignedIn,
} from "#auth/index.ts";
import { type Scope, SCOPES } from "#core/scope.ts";
import { AccessTabs } from "./access-tabs.tsx";
import type { PageContext } from "./env.ts";
import { readForm, tryVerb } from "./form.ts";
import { Room } from "./layout.tsx";
import { Confirmed, Copyable, Field, type FormProblem, Instant, Notice, Problem, ScopeBoxes } from "./parts.tsx";
import { render } from "./render.ts";

const LIFETIMES = [30, KEY_DAYS_DEFAULT, 180, KEY_DAYS_MAX];

interface Given {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: string;
}

/** A new key may read; whatever else it may do is a decision. */
const FRESH: Given = {
  name: "",
  scopes: SCOPES.filter((scope) => scope.endsWith(":read")),
  days: String(KEY_DAYS_DEFAULT),
};

const Lifetime: FC<{ days: string; problem: FormProblem | undefined }> = ({ days, problem }) => (
  <div class="field">
    <label for="expires_in_days">Expires</label>
    <select id="expires_in_days" name="expires_in_days">
      {LIFETIMES.map((count) => (
        <option value={String(count)} selected={days === String(count)}>{`in ${count} days`}</option>
      ))}
      <option value="never" selected={days === "never"}>
        never
      </option>
    </select>
    {problem?.param === "expires_in_days" && (
      <p class="wrong" role="alert">
        {problem.message}
      </p>
    )}
  </div>
);

const Shown: FC<{ made: CreatedKey; rotated: boolean }> = ({ made, rotated }) => (
  <section class="card fresh" aria-labelledby="fresh">
    <h2 id="fresh">{rotated ? "Your new key" : "Your key"}</h2>
    <p>
      Copy it now: <b>it is shown only this once.</b>
      {rotated && " The old key keeps working for 24 hours."}
    </p>
    <Copyable text={made.key} label="the key" />
  </section>
);

type Life = "live" | "ending" | "expired" | "revoked";

function life(key: ApiKey, now: number): Life {
  if (key.revokedAt !== null) {
    return "revoked";
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    return "expired";
  }
  return key.expiresAt !== null && key.expiresAt - now < 7 * 86_400_000 ? "ending" : "live";
}

const LIFE_WORDS = {
  live: "Active",
  ending: "Ends soon",
  expired: "Expired",
  revoked: "Revoked",
} as const satisfies Record<Life, string>;

const Ending: FC<{ apiKey: ApiKey; state: Life; timeZone: string }> = ({ apiKey, state, timeZone }) => {
  const at = apiKey.revokedAt ?? apiKey.expiresAt;
  if (at === null) {
    return <>No expiry</>;
  }
  return (
    <>
      {state === "revoked" || state === "expired" ? LIFE_WORDS[state] : "Ends"} <Instant at={at} timeZone={timeZone} />
    </>
  );
};

const KeyRow: FC<{ apiKey: ApiKey; timeZone: string; now: number }> = ({ apiKey, timeZone, now }) => {
  const state = life(apiKey, now);
  const usable = state === "live" || state === "ending";
  return (
    <li class={`item ${state}`}>
      <div class="item-head">
        <h3>{apiKey.name}</h3>
        <span class={`tag ${state}`}>{LIFE_WORDS[state]}</span>
      </div>
      <p class="item-facts">
        <code>{apiKey.hint}</code>
        <span>
          Made <Instant at={apiKey.createdAt} timeZone={timeZone} time={false} />
        </span>
        <span>
          {apiKey.lastUsedAt === null ? (
            "Never used"
          ) : (
            <>
              Used <Instant at={apiKey.lastUsedAt} timeZone={timeZone} />
            </>
          )}
        </span>
        <span>
          <Ending apiKey={apiKey} state={state} timeZone={timeZone} />
        </span>
      </p>
      <Scopes scopes={apiKey.scopes} />
      {usable && (
        <div class="item-actions">
          <Confirmed
            action={`/dashboard/keys/${apiKey.id}/rotate`}
            verb="Rotate"
            what={apiKey.name}
            ask="You get a new key with the same permissions. The old one keeps working for 24 hours."
          />
          <Confirmed
            action={`/dashboard/keys/${apiKey.id}/revoke`}
            verb="Revoke"
            what={apiKey.name}
            ask="The very next call with this key is refused. This cannot be undone."
          />
        </div>
      )}
    </li>
  );
};

export const Scopes: FC<{ scopes: readonly Scope[] }> = ({ scopes }) => (
  <ul class="scopes" aria-label="Permissions">
    {scopes.map((scope) => (
      <li>
        <code>{scope}</code>
      </li>
    ))}
  </ul>
);

const Keys: FC<{
  signedIn: SignedIn;
  keys: readonly ApiKey[];
  now: number;
  given: Given;
  problem?: FormProblem | undefined;
  made?: { key: CreatedKey; rotated: boolean } | undefined;
  done?: string | undefined;
}> = ({ signedIn, keys, now, given, problem, made, done }) => (
  <Room
    title="AI & API"
    section="access"
    signedIn={signedIn}
    lead="Let programs and agents work with your calendar, each with no more than it needs."
  >
    <AccessTabs current="keys" />
    {done === "revoked" && <Notice kind="good">The key is revoked.</Notice>}
    {made && <Shown made={made.key} rotated={made.rotated} />}
    <div class="split">
      <section aria-labelledby="keys">
        <h2 id="keys">API keys</h2>
        {keys.length === 0 ? (
          <p class="empty">No keys yet. Make one for each program, so that you can revoke it alone.</p>
        ) : (
          <ul class="items">
            {keys.map((apiKey) => (
              <KeyRow apiKey={apiKey} timeZone={signedIn.timeZone} now={now} />
            ))}
          </ul>
        )}
      </section>
      <section class="card" aria-labelledby="new-key">
        <h2 id="new-key">New key</h2>
        <Problem problem={problem} fields={["name", "scopes", "expires_in_days"]} />
        <form method="post" action="/dashboard/keys">
          <Field
            name="name"
            label="Name"
            required
            maxlength={60}
            value={given.name}
            hint="What will use it, like “nightly import”."
            problem={problem}
          />
          <ScopeBoxes legend="May" scopes={SCOPES} ticked={given.scopes} problem={problem} />
          <Lifetime days={given.days} problem={problem} />
          <button>Create key</button>
        </form>
      </section>
    </div>
  </Room>
);

async function page(
  c: PageContext,
  more: { given?: Given; problem?: FormProblem; made?: { key: CreatedKey; rotated: boolean } },
) {
  const { services, signedIn } = c.var;
  const keys = await listKeys(services, { userId: signedIn.actor.userId });
  const props = { signedIn, keys, now: services.clock.now(), given: more.given ?? FRESH, done: c.req.query("done") };
  return render(c, <Keys {...props} problem={more.problem} made={more.made} />, more.problem ? 400 : 200);
}

/** `GET /dashboard/keys` */
export function showKeys(c: PageContext): Promise<Response> {
  return page(c, {});
}

/** `POST /dashboard/keys`: the one answer that holds the key. */
export async function doCreateKey(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const days = form.text("expires_in_days");
  const given: Given = { name: form.text("name"), scopes: form.all("scope"), days };
  const made = await tryVerb(() =>
    createKey(c.var.services, {
      userId: c.var.signedIn.actor.userId,
      name: given.name,
      scopes: given.scopes,
      expiresInDays: days === "never" ? null : Number(days || KEY_DAYS_DEFAULT),
    }),
  );
  return made.ok ? page(c, { made: { key: made.value, rotated: false } }) : page(c, { given, problem: made.problem });
}

/** `POST /dashboard/keys/:id/rotate` */
export async function doRotateKey(c: PageContext): Promise<Response> {
  const key = await rotateKey(c.var.services, { userId: c.var.signedIn.actor.userId, id: c.req.param("id") ?? "" });
  return page(c, { made: { key, rotated: true } });
}

/** `POST /dashboard/keys/:id/revoke` and `DELETE /dashboard/keys/:id` */
export async function doRevokeKey(c: PageContext): Promise<Response> {
  await revokeKey(c.var.services, { userId: c.var.signedIn.actor.userId, id: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/keys?done=revoked", 303);
}
