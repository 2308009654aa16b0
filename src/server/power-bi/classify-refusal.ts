import type { PowerBiRefusal } from './failures.ts'
import type { ReportTest } from './power-bi.ts'

type Outcome = ReportTest['outcome']

/** What was asked for when the service refused. */
export type Step = 'report' | 'dataset' | 'token'

/** By what the service says, which its statuses do not tell apart. */
const BY_WORDS: [RegExp, Outcome][] = [
  [/CapacityNotActive|capacity.*\b(paused|suspended|not active)/i, 'capacity-paused'],
  [/PowerBIFolderNotFound|ServicePrincipalIsNotAllowed/i, 'no-workspace-access'],
  [
    /shouldn't have effective identity|not.*effective identity.*supported|without.*RLS/i,
    'identity-forbidden',
  ],
  [/requires (effective identity|roles)/i, 'identity-required'],
  [/\brole\b/i, 'unknown-role'],
  [/dataset.*does not belong/i, 'dataset-mismatch'],
]

/**
 * Says which of the known troubles a refusal is (Microsoft, 'Troubleshoot Power BI REST APIs').
 * @returns 'refused' for all others
 */
export function classifyRefusal(refusal: PowerBiRefusal, step: Step): Outcome {
  const words = `${refusal.code} ${refusal.message}`
  const known = BY_WORDS.find(([pattern]) => pattern.test(words))
  if (known) return known[1]
  if (refusal.status === 404)
    return step === 'dataset' || /\bdataset\b/i.test(refusal.message)
      ? 'dataset-not-found'
      : 'report-not-found'
  // 403 also says that the trial's embed tokens are used up.
  const isDenied = refusal.status === 401 || refusal.status === 403
  return isDenied && !/exceeded/i.test(words) ? 'no-workspace-access' : 'refused'
}
