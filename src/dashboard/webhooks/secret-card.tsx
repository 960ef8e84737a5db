import type { FC } from "hono/jsx";
import { CopyableText } from "#dashboard/layout/components.tsx";

/**
 * The code with which a receiver checks the signature of a request. It uses the package that the authors of the format
 * publish.
 */
const VERIFY = `import { Webhook } from "standardwebhooks"; // npm install standardwebhooks

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const body = await request.text(); // exactly as it came
const event = webhook.verify(body, Object.fromEntries(request.headers)); // throws unless we sent it`;

/** Shows the secret of a webhook. No other part of a page shows it. */
export const SecretCard: FC<{ secret: string; rotated: boolean }> = ({ secret, rotated }) => (
  <section class="card new-key" aria-labelledby="secret">
    <h2 id="secret">{rotated ? "The new secret" : "The secret of your webhook"}</h2>
    <p>
      Copy it now: <b>it will not be shown again.</b>
      {rotated && " For 24 hours every request is signed with the old one as well."}
    </p>
    <CopyableText text={secret} label="the secret" />
    <p>With it your server knows that a request comes from here. In JavaScript:</p>
    <CopyableText block text={VERIFY} label="the lines that verify a request" />
    <p class="hint">
      The format is <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>, which has such a package for most
      languages. Answer with a status from 200 to 299 within 10 seconds. <code>webhook-id</code> is the same at every
      try of an event: whoever has seen it does nothing.
    </p>
  </section>
);
