import { actorForSession, type SignedIn } from "#auth/index.ts";
import {
  approve,
  denial,
  findClient,
  mayFetch,
  namedClient,
  type ReadRequest,
  readRequest,
} from "#auth/oauth/index.ts";
import type { PageContext } from "#dashboard/env.ts";
import { readForm, tryVerb } from "#dashboard/form.ts";
import { openTheWayBack } from "#dashboard/headers.ts";
import { mayCall } from "#dashboard/limit-address.ts";
import { render } from "#dashboard/render.ts";
import { readSession } from "#dashboard/session-cookie.ts";
import { Consent, DeadEnd } from "./consent.tsx";
import { formSeal } from "./form-seal.ts";

interface Step {
  readonly query: string;
  readonly signedIn: SignedIn | null;
  readonly session: string;
  /** Null while nothing may be looked up: a stranger's document is fetched for somebody signed in only. */
  readonly read: ReadRequest | null;
}

/** Everything both halves need; the request is read anew each time, because nothing is kept between them. */
async function takeStep(c: PageContext): Promise<Step> {
  openTheWayBack(c);
  const { services } = c.var;
  const { search, searchParams } = new URL(c.req.url);
  const session = readSession(c) ?? "";
  const signedIn = await actorForSession(services, session);
  const id = namedClient(searchParams);
  const step = { query: search, signedIn, session };
  if (id === undefined) {
    return { ...step, read: { kind: "unanswerable", message: "The app that sent you here did not say who it is." } };
  }
  if (mayFetch(id) && signedIn === null) {
    return { ...step, read: null };
  }
  if (mayFetch(id) && !(await mayCall(c, "client-document"))) {
    return { ...step, read: { kind: "unanswerable", message: "Too many requests from your address: wait a minute." } };
  }
  return { ...step, read: readRequest(services.config, await findClient(services, id), searchParams) };
}

function toSignIn(c: PageContext, query: string): Response {
  return c.redirect(`/login?next=${encodeURIComponent(`/oauth/authorize${query}`)}`, 303);
}

async function show(c: PageContext, step: Step, problem?: { message: string }): Promise<Response> {
  const { read, signedIn, query } = step;
  if (read?.kind === "unanswerable") {
    return render(c, <DeadEnd message={read.message} />, 400);
  }
  if (read?.kind === "refused") {
    return c.redirect(read.location, 303);
  }
  if (read === null || signedIn === null) {
    return toSignIn(c, query);
  }
  const seal = await formSeal(step.session, query);
  const page = <Consent request={read.request} signedIn={signedIn} query={query} seal={seal} problem={problem} />;
  return render(c, page, problem === undefined ? 200 : 400);
}

/** `GET /oauth/authorize`: who asks for what, and may they. */
export async function showConsent(c: PageContext): Promise<Response> {
  return show(c, await takeStep(c));
}

/** `POST /oauth/authorize`: the person decided. Answered with 303, so that the form never travels on to the app. */
export async function decideConsent(c: PageContext): Promise<Response> {
  const step = await takeStep(c);
  const { read, signedIn } = step;
  if (read?.kind !== "valid" || signedIn === null) {
    return show(c, step);
  }
  const form = await readForm(c);
  if (form.text("seal") !== (await formSeal(step.session, step.query))) {
    return show(c, step, { message: "This page was out of date. Please decide again." });
  }
  if (form.text("decision") !== "allow") {
    return c.redirect(denial(c.var.services, read.request), 303);
  }
  const approved = await tryVerb(() =>
    approve(c.var.services, {
      userId: signedIn.actor.userId,
      request: read.request,
      ticked: form.all("scope"),
    }),
  );
  return approved.ok ? c.redirect(approved.value, 303) : show(c, step, approved.problem);
}
