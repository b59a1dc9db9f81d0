/** What is said about workflows as a whole: their list, and the page around one. */
export const workflowText = {
  title: 'Workflows',
};
