import type { Finding } from '#contract/health.ts'
import { withTimeout } from '#contract/timing.ts'
import { explainError } from './explain-error.ts'

export type Result = Omit<Finding, 'check'>

export const good = (says: string): Result => ({ grade: 'good', says, todo: null })
export const warning = (says: string, todo: string): Result => ({ grade: 'warning', says, todo })
export const fault = (says: string, todo: string): Result => ({ grade: 'fault', says, todo })

/** A check. An error that it throws becomes its result. */
export interface Check {
  name: string
  /** Subject of the message if it fails: 'Banco de dados'. */
  about: string
  /** Longer than the check's own time-outs. */
  timeoutMs: number
  /** Grade if nothing was reachable; 'fault' by default. */
  unreachable?: 'warning' | 'fault'
  /** Names of checks without which this one cannot succeed: their fault is named instead. */
  causes?: readonly string[]
  /** From which grade on this check explains failures of others; 'fault' by default. */
  explainsFrom?: 'warning' | 'fault'
  run(): Promise<Result | Result[]>
}

export const check = (name: string, about: string, timeoutMs: number, run: Check['run']): Check => ({
  name,
  about,
  timeoutMs,
  run,
})

/** Runs checks concurrently; none can hang or throw, and findings are in the order of the checks. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const ran = await Promise.all(
    checks.map(async (check) => ({ check, found: [await runCheck(check)].flat() })),
  )
  const broken = ran.flatMap(({ check, found }) => {
    const explains = check.explainsFrom === 'warning' ? isNotGood : isFault
    return found.some(explains) ? [check] : []
  })
  return ran.flatMap(({ check, found }) => {
    const cause = broken.find(({ name }) => check.causes?.includes(name))
    const results = cause && found.some(isNotGood) ? [blameCause(check, cause)] : found
    return results.map((each) => ({ check: check.name, ...each }))
  })
}

const isFault = ({ grade }: Result) => grade === 'fault'
const isNotGood = ({ grade }: Result) => grade !== 'good'

const blameCause = ({ about }: Check, cause: Check) =>
  warning(
    `${about}: não verificado, por causa disto: ${cause.about}.`,
    'Corrija isso primeiro e rode de novo.',
  )

async function runCheck({ about, timeoutMs: ms, unreachable = 'fault', run }: Check) {
  try {
    return await withTimeout(run(), ms, () =>
      fault(
        `${about}: sem resposta em ${ms / 1000} s.`,
        'Confira se o serviço responde e se a rede deixa chegar até ele.',
      ),
    )
  } catch (error) {
    const { says, todo } = explainError(error)
    return { grade: unreachable, says: `${about}: ${says}.`, todo }
  }
}
