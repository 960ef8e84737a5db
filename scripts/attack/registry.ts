import addresses from "./addresses.ts";
import agents from "./agents.ts";
import answers from "./answers.ts";
import type { Topic } from "./attack.ts";
import authorize from "./authorize.ts";
import connect from "./connect.ts";
import forms from "./forms.ts";
import fuzz from "./fuzz.ts";
import limits from "./limits.ts";
import mails from "./mails.ts";
import pictures from "./pictures.ts";
import quotas from "./quotas.ts";
import requests from "./requests.ts";
import scopes from "./scopes.ts";
import secrets from "./secrets.ts";
import signIn from "./sign-in.ts";
import tenants from "./tenants.ts";
import webhooks from "./webhooks.ts";

/** Every topic. The search for secrets comes last, because it reads the log of the whole run. */
export const TOPICS: readonly Topic[] = [
  scopes,
  agents,
  tenants,
  connect,
  authorize,
  signIn,
  mails,
  addresses,
  answers,
  webhooks,
  pictures,
  forms,
  requests,
  quotas,
  limits,
  fuzz,
  secrets,
];
