export { createOAuth } from "./oauth/index.ts";
export { createPages } from "./pages.tsx";
