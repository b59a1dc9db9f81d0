/** Why something cannot be done to a graph. */
export const text = {
  noNode: 'There is no such node.',
  itself: 'A node cannot follow itself.',
  noBranch: 'What follows a condition begins at one of its branches, or at its default.',
  unknownBranch: 'The condition has no such branch.',
  onlyConditions: 'Only a condition has branches.',
  connected: 'These two are connected already.',
  circle: (from: string, to: string) => `“${from}” comes after “${to}”, so this would go in a circle.`,
  circleOfOutputs: (from: string, to: string) => `“${from}” waits for the output of “${to}”, so this would go in a circle.`,
  tooFew: 'Select two nodes or more that follow each other.',
  notBeside: (id: string) => `“${id}” cannot run beside others. Select agents, gates and transforms only.`,
  noLine: 'Select nodes that follow each other in one line, without others between them.',
  waits: (id: string, other: string) => `“${id}” waits for the output of “${other}”, so they cannot run at the same time.`,
  nothingFollows: (id: string) => `Nothing follows “${id}”, so a condition would lead nowhere. Connect it first.`,
  severalFollow: (id: string) => `Several nodes follow “${id}”, and a condition chooses one. Leave one of them first.`,
  severalWays: (id: string) => `Several ways lead on from “${id}”. Select the node at the end of one of them.`,
  end: 'Nothing comes after an output.',
};
