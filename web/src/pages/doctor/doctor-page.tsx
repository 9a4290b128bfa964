/** Doctor: what is wrong with the store, the state folder and the machine, and what to do about it. */
import type { JSX } from "preact";
import type { FindingView } from "../../../../src/gateway/wire/rest.ts";
import { useLoad } from "../../state/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Loaded } from "../../ui/list/states.tsx";
import { AdminsOnly } from "../../ui/page/admins-only.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { plural } from "../../ui/values/plural.ts";
import { readDiagnosis } from "./doctor-api.ts";
import "../pages.css";
import "./doctor.css";

const SEVERITIES = ["error", "warning", "note"];
const LOOKS: Readonly<Record<string, string>> = { error: "danger", warning: "warn" };

export function DoctorPage(): JSX.Element {
  return (
    <AdminsOnly title="Doctor">
      <Checks />
    </AdminsOnly>
  );
}

function Checks(): JSX.Element {
  const diagnosis = useLoad("doctor", readDiagnosis);
  const actions = (
    <Button icon="again" disabled={diagnosis.loading} onClick={diagnosis.reload}>
      {diagnosis.loading ? "Checking …" : "Check again"}
    </Button>
  );
  return (
    <PageFrame title="Doctor" actions={actions}>
      <p class="lead">Checks of the store, the config, the credentials and the files. It only looks.</p>
      <Loaded load={diagnosis} what="The checks could not be made">
        {({ findings, checked }) => (
          <>
            <p class="doctor-sum" role="status">
              {sumUp(findings)}
            </p>
            <ul>
              {findings
                .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
                .map((finding, index) => (
                  <Finding key={index} finding={finding} />
                ))}
            </ul>
            <h2 class="doctor-heading">What was checked</h2>
            <ul class="doctor-checked quiet">
              {checked.map((what) => (
                <li key={what}>
                  <Icon name="check" />
                  {what}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

function sumUp(findings: readonly FindingView[]): string {
  const notes = findings.filter(({ severity }) => severity === "note").length;
  const problems = findings.length - notes;
  const rest = notes === 0 ? "" : ` ${plural(notes, "note")}.`;
  return problems === 0 ? `Everything is in order.${rest}` : `${plural(problems, "problem")} found.${rest}`;
}

function Finding({ finding }: { readonly finding: FindingView }): JSX.Element {
  const { code, severity, what, fix } = finding;
  return (
    <li class="finding">
      <span class={`badge ${LOOKS[severity] ?? ""}`}>{severity}</span>
      <div>
        <p>{what}</p>
        {fix !== null && <p class="quiet">{fix}</p>}
        <p class="quiet small">
          <code>{code}</code>
        </p>
      </div>
    </li>
  );
}
