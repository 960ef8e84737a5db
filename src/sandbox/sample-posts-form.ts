import { raw } from "hono/html";

/** The form stands in the pages of the service, and nothing of it is in production. */
export const SAMPLE_POSTS_FORM = raw(`<form method="post" action="/sandbox/sample-posts">
  <p>This is the sandbox: its platforms are simulated, and nothing leaves this machine.</p>
  <button class="secondary">Add sample posts</button>
</form>`);
