import { render } from "preact";
import { App } from "./app/app.tsx";
import { watchKeys } from "./app/keys.ts";
import { watchAddress } from "./app/router.ts";
import { takeCode, watchLinks } from "./sign-in/check-session.ts";
import { showTheme } from "./state/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./list/list.css";

const code = takeCode();
showTheme();
watchLinks();
watchAddress();
watchKeys();
const page = document.getElementById("page");
if (page) render(<App code={code} />, page);
