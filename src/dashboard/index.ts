export { createOAuth } from "./oauth/index.ts";
export { createPages } from "./routes.ts";
