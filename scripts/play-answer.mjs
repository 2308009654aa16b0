// `npm run -s play-answer -- [NAME]`: prints a documented answer of Power BI as a fault that the
// demo takes (PUT /demo/power-bi/faults), or all names.
import { DOCUMENTED_ANSWERS, toFault } from '#emulators/power-bi/testing/documented-answers.ts'

const [wanted] = process.argv.slice(2)
const found = DOCUMENTED_ANSWERS.filter(({ name }) => !wanted || name === wanted)
for (const answer of found)
  process.stdout.write(`${wanted ? JSON.stringify(toFault(answer)) : answer.name}\n`)
if (found.length === 0) process.exitCode = 1
