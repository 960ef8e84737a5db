export { createConnectRoutes } from "./routes.tsx";
